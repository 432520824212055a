import type { Chain, Receipt } from '../chain/chain.js'
import { nativeToken } from '../domain/action.js'
import type { Custody } from '../domain/deposit.js'
import type { DepositResult, DepositWork } from '../store/deposits.js'
import type { EngineTools } from './tools.js'
import { moved, type Visit, waits } from './visit.js'
import type { Queue } from './worker.js'

/** How long a reported transaction may stay unseen. */
const unknownForMs = 10 * 60 * 1000
const unknownPollMs = 1_000

/** Deposits and withdrawals that clients have reported and that the chain has not confirmed yet. */
export function depositQueue(tools: EngineTools): Queue<DepositWork> {
  return {
    name: 'deposits',
    claim: (limit, leaseMs) => tools.store.claimDueDeposits(limit, leaseMs),
    visit: (work) => verifyDeposit(work, tools),
    postpone: (work, delayMs) => tools.store.postponeDeposit(work.id, delayMs),
    label: (work) => ({ depositId: work.id, chainId: work.chainId }),
  }
}

/** One visit to a report: is the transaction there, final, and does it move what was reported? */
async function verifyDeposit(work: DepositWork, tools: EngineTools): Promise<Visit> {
  const chain = tools.chains.get(work.chainId)
  if (!chain) throw new Error(`Chain ${work.chainId} is not configured any more`)
  const { transaction, receipt, head } = await chain.transaction(work.transactionHash)
  if (!transaction || !receipt) {
    if (tools.now() - work.reportedAt < unknownForMs) return waits(unknownPollMs)
    const message = `txHash: no such transaction has appeared on chain ${work.chainId} within 10 minutes.`
    return settle(work, { outcome: 'refused', code: 'deposit_mismatch', message }, tools)
  }
  if (receipt.status !== 'success') return settle(work, refused('The transaction reverted; it moved nothing.'), tools)
  const confirmations = Number(head.number - receipt.blockNumber) + 1
  if (confirmations < work.requiredConfirmations || !(await chain.isAgreed(receipt))) {
    await tools.store.postponeDeposit(work.id, chain.config.pollIntervalMs, Math.max(confirmations, 0))
    tools.changed(depositTopic(work.id))
    return moved
  }
  const found = findMovement(work, receipt, transaction.value, chain, tools)
  if (typeof found === 'string') return settle(work, refused(found), tools)
  const short = work.isDeposit && found.custody === 'vault' ? await shortArrival(work, receipt, chain) : null
  if (short) return settle(work, refused(short), tools)
  const { blockNumber, blockHash } = receipt
  const confirmed = { blockNumber: Number(blockNumber), blockHash, confirmations: work.requiredConfirmations }
  return settle(work, { outcome: 'recorded', ...found, ...confirmed }, tools)
}

/** What is wrong when the token kept a part for itself, whatever its log says. */
async function shortArrival(work: DepositWork, receipt: Receipt, chain: Chain): Promise<string | null> {
  if (work.token === nativeToken) return null
  const { token, amount } = work
  const [arrived] = await chain.measureArrivals([{ token, amount }], receipt.blockNumber)
  return arrived === amount
    ? null
    : `amount: of ${amount} only ${arrived} have reached the vault; as an on-demand step they become credit.`
}

/** What requests wait on for a report. */
export function depositTopic(id: number): string {
  return `deposit:${id}`
}

async function settle(work: DepositWork, result: DepositResult, tools: EngineTools): Promise<Visit> {
  await tools.store.settleDeposit(work.id, result, tools.now())
  tools.changed(depositTopic(work.id))
  return moved
}

function refused(message: string): DepositResult {
  return { outcome: 'refused', code: 'deposit_mismatch', message }
}

type Movement = { from: string; to: string | null; amount: bigint; logIndex: number }

/** The log (or the transaction's own value) that is the report's movement, or what is wrong with it. */
function findMovement(
  work: DepositWork,
  receipt: Receipt,
  value: bigint,
  chain: Chain,
  tools: EngineTools,
): { custody: Custody; logIndex: number } | string {
  const { vault } = chain.config
  const movements = movementsOf(work, receipt, value, chain, tools).filter((entry) => entry.from === work.sender)
  if (work.isDeposit) {
    const toVault = movements.filter((entry) => entry.to === vault)
    const toUser = movements.filter((entry) => entry.to === work.user)
    const match = [...toVault, ...toUser].find((entry) => entry.amount === work.amount)
    if (!match) return describe(work, [...toVault, ...toUser], 'to the vault or to the user')
    if (match.to === vault && work.sender !== work.user) {
      return 'sender: a deposit into the vault counts for who sent it, so it must be the user.'
    }
    return { custody: match.to === vault ? 'vault' : 'wallet', logIndex: match.logIndex }
  }
  return findWithdrawal(work, receipt, movements, vault, tools)
}

function findWithdrawal(
  work: DepositWork,
  receipt: Receipt,
  movements: Movement[],
  vault: string,
  tools: EngineTools,
): { custody: Custody; logIndex: number } | string {
  if (work.sender === work.user) {
    const match = movements.find((entry) => entry.amount === work.amount && entry.to !== work.user)
    return match ? { custody: 'wallet', logIndex: match.logIndex } : describe(work, movements, 'out of the account')
  }
  if (work.sender !== vault) return 'sender: a withdrawal leaves the vault or the user’s own account.'
  // What operators send are payouts of steps and airdrops; only what the vault's owner hands out is a withdrawal.
  if (
    tools.signers.has(receipt.from as `0x${string}`) ||
    tools.codec.fulfilledKeys(receipt, vault as `0x${string}`).length > 0
  ) {
    return 'The transaction is a payout of the service, not a withdrawal.'
  }
  const toUser = movements.filter((entry) => entry.to === work.user)
  const match = toUser.find((entry) => entry.amount === work.amount)
  return match ? { custody: 'vault', logIndex: match.logIndex } : describe(work, toUser, 'to the user')
}

/** Every movement of the token that the receipt tells of. */
function movementsOf(work: DepositWork, receipt: Receipt, value: bigint, chain: Chain, tools: EngineTools): Movement[] {
  if (work.token !== nativeToken) {
    return tools.codec.transfersOf(receipt).filter((transfer) => transfer.token === work.token)
  }
  const { vault } = chain.config
  const intoVault = tools.codec
    .vaultArrivals(receipt, chain.config)
    .filter((arrival) => arrival.token === nativeToken)
    .map((arrival) => ({ from: arrival.from, to: vault, amount: arrival.amount, logIndex: arrival.logIndex }))
  const direct = receipt.to === vault ? [] : [{ from: receipt.from, to: receipt.to, amount: value, logIndex: -1 }]
  return [...intoVault, ...direct]
}

function describe(work: DepositWork, near: Movement[], where: string): string {
  const amounts = near.map((entry) => entry.amount.toString()).join(', ')
  return amounts === ''
    ? `The transaction moves nothing of ${work.token} from ${work.sender} ${where}.`
    : `The transaction moves ${amounts} from ${work.sender} ${where}, not ${work.amount}.`
}
