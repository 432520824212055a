import { encodeAbiParameters, type Hash, keccak256 } from 'viem'
import type { Chain, Receipt } from '../../chain/chain.js'
import type { Airdrop } from '../../domain/airdrop.js'
import { isVault, vaultsOf } from '../../domain/chainConfig.js'
import { depthOf } from '../../domain/finality.js'
import type { AirdropResult } from '../../store/airdrops.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import type { EngineTools } from '../tools.js'
import { isFinal } from './isFinal.js'

/** The payment that the vault has made for the airdrop. Null: it is not final yet, or can't be found. */
export async function findPayment(
  airdrop: Airdrop,
  chain: Chain,
  tools: Pick<EngineTools, 'tellSeldom'>,
): Promise<AirdropResult | null> {
  const stepKey = airdropKey(airdrop)
  const hash = await chain.findFulfilment(stepKey)
  if (!hash || hash === 'unsearched') {
    const { chainId, token, wallet, round } = airdrop
    const fields = { chainId, token, wallet, round, stepKey }
    tools.tellSeldom('warn', fields, 'no node has the log of what the vault has paid')
    return null
  }
  const { receipt, head } = await chain.transaction(hash, { asksAll: true })
  if (!receipt) return null
  const confirmations = depthOf(receipt.blockNumber, head.number)
  const isPaid = await isFinal({ receipt, confirmations, needed: chain.config.confirmations }, chain)
  return isPaid ? paidBy(receipt, airdrop) : null
}

function paidBy({ hash, blockNumber, blockHash }: Receipt, airdrop: Airdrop): AirdropResult {
  return { airdrop, hash, paidIn: { number: Number(blockNumber), hash: blockHash }, message: null }
}

/**
 * The airdrop that a final transaction carries; or one that had ended as unpaid and that the transaction has paid after
 * all. Nothing but the key that the vault has paid under tells which one that is.
 */
export async function airdropOf(
  transaction: JournalTransaction,
  receipt: Receipt,
  chain: Chain,
  tools: Pick<EngineTools, 'store' | 'codec'>,
): Promise<Airdrop | null> {
  // A transaction that was signed for steps carries no airdrop.
  if (transaction.signedFor.length > 0) return null
  const carried = await tools.store.readAirdropOf(transaction.id)
  const { chainId } = chain.config
  if (carried || !isVault(transaction.to, chain.config)) return carried
  const { stepKey, transfers } = tools.codec.decodeFulfill(transaction.data) ?? { stepKey: null, transfers: [] }
  const [transfer] = transfers
  if (!stepKey || !transfer || !tools.codec.fulfilledKeys(receipt, transaction.to).includes(stepKey)) return null
  const unpaid = await tools.store.readUnpaidAirdrops({ chainId, token: transfer.token, wallet: transfer.to })
  return unpaid.find((airdrop) => airdropKey(airdrop) === stepKey) ?? null
}

/** What a final receipt means for the airdrop that the transaction carried. Null: it can't be said yet. */
export async function airdropResultOf(
  airdrop: Airdrop,
  receipt: Receipt,
  chain: Chain,
  tools: Pick<EngineTools, 'codec' | 'tellSeldom'>,
): Promise<AirdropResult | null> {
  // A replica with another chains file may have sent it through a vault of which nothing can be read here. A cancel,
  // which its signer sends to himself, can be read.
  if (!isVault(receipt.to, chain.config) && receipt.to !== receipt.from) return null
  const key = airdropKey(airdrop)
  if (tools.codec.fulfilledKeys(receipt, ...vaultsOf(chain.config)).includes(key)) return paidBy(receipt, airdrop)
  if (!(await chain.isFulfilled(key))) {
    const message = 'The transaction was mined and paid nothing.'
    return { airdrop, hash: receipt.hash, paidIn: null, message }
  }
  return findPayment(airdrop, chain, tools)
}

/** The key by which the vault remembers the airdrop: each round of a wallet has its own, and is paid once. */
export function airdropKey({ token, wallet, round, askedAt }: Airdrop): Hash {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'string' }, { type: 'address' }, { type: 'address' }, { type: 'uint256' }, { type: 'uint256' }],
      ['airdrop', token, wallet, BigInt(round), BigInt(askedAt)],
    ),
  )
}
