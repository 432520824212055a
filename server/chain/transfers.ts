import { type Address, getAddress, type Hash, toEventSelector } from 'viem'
import { type ChainBatch, nativeToken, type TokenTransfer } from '../domain/action.js'
import { type ChainConfig, isVault } from '../domain/chainConfig.js'
import type { Log, Receipt } from './chain.js'

export type Transfer = { token: Address; from: Address; to: Address; amount: bigint; logIndex: number }

export const transferTopic = toEventSelector('Transfer(address,address,uint256)')
const emptyPadding = `0x${'0'.repeat(24)}`
export const nativeReceivedTopic = toEventSelector('NativeReceived(address,uint256)')
export const withdrawnTopic = toEventSelector('Withdrawn(address,address,uint256)')
/** Whom eth_simulateV1 names as the emitter of the logs that it adds for transfers of the native currency. */
export const nativeLogAddress: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** ERC-20 transfers, and of a simulation also those of the native currency. */
export function transfersOf(source: { logs: readonly Log[] }): Transfer[] {
  return source.logs.flatMap((log) => {
    const [topic, from, to] = log.topics
    // ERC-721 has the same topic; its logs carry the token id as a fourth one.
    if (topic !== transferTopic || !from || !to || log.topics.length !== 3 || log.data.length < 66) return []
    // Nodes would not find such a log by the addresses, and a transfer that nobody can find again counts for nothing.
    if (!isAddress(from) || !isAddress(to)) return []
    return {
      token: log.address === nativeLogAddress ? nativeToken : log.address,
      from: addressIn(from),
      to: addressIn(to),
      amount: BigInt(log.data.slice(0, 66)),
      logIndex: log.logIndex,
    }
  })
}

/**
 * What has reached the vault, or a former one, in a transaction: configured ERC-20 tokens by their logs, native
 * currency by the vault's. What one vault gives another is nobody's.
 */
export function vaultArrivals(
  receipt: Pick<Receipt, 'status' | 'logs'>,
  config: Pick<ChainConfig, 'vault' | 'formerVaults' | 'tokens'>,
): Transfer[] {
  if (receipt.status !== 'success') return []
  const configured = new Set(config.tokens.map(({ address }) => address))
  configured.delete(nativeToken)
  const logs = receipt.logs.filter(({ address }) => configured.has(address))
  const tokens = transfersOf({ logs }).filter(({ to }) => isVault(to, config))
  const native = receipt.logs.flatMap(({ address: to, topics: [topic, from], data, logIndex }) => {
    if (topic !== nativeReceivedTopic || !from || !isVault(to, config)) return []
    return { token: nativeToken, from: addressIn(from), to, amount: BigInt(data.slice(0, 66)), logIndex }
  })
  return [...tokens, ...native]
    .filter(({ from, amount }) => !isVault(from, config) && amount > 0n)
    .sort((a, b) => a.logIndex - b.logIndex)
}

/** What the vault's owner has taken out of it, by the vault's own word; payouts are no withdrawals. */
export function vaultWithdrawals(
  receipt: Pick<Receipt, 'status' | 'logs'>,
  vault: Address,
): Pick<Transfer, 'token' | 'to' | 'amount' | 'logIndex'>[] {
  if (receipt.status !== 'success') return []
  return receipt.logs.flatMap((log) => {
    const [topic, token, to] = log.topics
    if (log.address !== vault || topic !== withdrawnTopic || !token || !to) return []
    const amount = BigInt(log.data.slice(0, 66))
    return { token: addressIn(token), to: addressIn(to), amount, logIndex: log.logIndex }
  })
}

/**
 * Whether the batch's transfers from addresses come about in these logs. Each needs a log of its own: that token,
 * exactly those parties, at least that amount. Null when all do, else which one does not.
 */
export function matchTransfers(batch: Pick<ChainBatch, 'tokenTransfers'>, logs: readonly Log[]): string | null {
  const declared = batch.tokenTransfers.filter((transfer) => transfer.from !== 'solver' && transfer.amount > 0n)
  if (declared.length === 0) return null
  const emitters = new Set(declared.map(({ token }) => (token === nativeToken ? nativeLogAddress : token)))
  // Only what may match is read: a receipt may have thousands of logs, of everybody who shares the transaction.
  const open = transfersOf({ logs: logs.filter(({ address }) => emitters.has(address)) }).sort(byAmount)
  // Largest first on both sides: then whatever can be matched is.
  for (const wanted of [...declared].sort(byAmount)) {
    const isSame = ({ token, from, to }: Transfer) => token === wanted.token && from === wanted.from && to === wanted.to
    const at = open.findIndex(isSame)
    if (at < 0) return `${describe(wanted)} does not happen.`
    const [found] = open.splice(at, 1)
    if (found!.amount < wanted.amount) return `${describe(wanted)} does not happen: only ${found!.amount} arrive.`
  }
  return null
}

function describe({ from, to, token, amount }: TokenTransfer): string {
  const currency = token === nativeToken ? 'the native currency' : getAddress(token)
  const payer = from === 'solver' ? from : getAddress(from)
  return `The transfer of ${amount} of ${currency} from ${payer} to ${getAddress(to)}`
}

function byAmount(a: { amount: bigint }, b: { amount: bigint }): number {
  return a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1
}

/** Whether a topic holds an address as Solidity writes it; in assembly a token can write what it wants. */
function isAddress(topic: Hash): boolean {
  return topic.startsWith(emptyPadding)
}

/** The address that a topic holds. */
export function addressIn(topic: Hash): Address {
  return `0x${topic.slice(26)}`
}
