import { type Address, getAddress } from 'viem'
import type { Chain, Receipt } from '../chain/chain.js'
import { nativeToken } from '../domain/action.js'
import { isVault } from '../domain/chainConfig.js'
import type { Custody, Movement } from '../domain/deposit.js'
import { elapsedMs } from '../domain/elapsed.js'
import { depthOf } from '../domain/finality.js'
import { depositTopic } from '../domain/topics.js'
import type { DepositResult, DepositWork } from '../store/money/deposits.js'
import { confirmationsFor } from './outcomes/arrivals.js'
import { isFinal } from './outcomes/isFinal.js'
import type { EngineTools } from './tools.js'
import { laterLookMs, lookForNamed, type MinedSighting, unmined } from './outcomes/namedTransaction.js'
import { moved, postponed, type Visit, waits } from './visit.js'
import type { Queue } from './worker.js'

/** How soon a report is looked at again while it can't be measured what has arrived. */
const unmeasuredMs = 10_000
/** How soon a report is looked at again while a step is being verified by the same transaction. */
const registeredMs = 1_000
/** How many amounts a refusal lists at most. */
const shownAmounts = 10

/** Deposits and withdrawals that clients have reported and that the chain has not confirmed yet. */
export function depositQueue(tools: EngineTools): Queue<DepositWork> {
  return {
    name: 'deposits',
    claim: tools.store.claimDueDeposits,
    chainOf: (work) => work.chainId,
    lengthOf: () => 0,
    visit: (work) => verifyDeposit(work, tools),
    postpone: ({ id }, delayMs) => tools.store.postponeDeposit({ id, delayMs }),
    label: (work) => ({ depositId: work.id, chainId: work.chainId }),
  }
}

/** One visit to a report: is the transaction there, and in a block? */
async function verifyDeposit(work: DepositWork, tools: EngineTools): Promise<Visit> {
  const chain = tools.chains.get(work.chainId)
  if (!chain) throw new Error(`Chain ${work.chainId} is not configured any more`)
  const { id, transactionHash: hash, unseenMs, reportedAt, chainId } = work
  // Anyone may report one transaction any number of times, and no step waits for that: in
  // the end it is rarely looked at.
  const { longestMs } = unmined
  const seen = await lookForNamed(
    { name: `deposit ${id}`, hash, unseenMs, namedAt: reportedAt, longestMs },
    chain,
    tools,
  )
  switch (seen.outcome) {
    case 'unknown':
      return lookAgain(work, { confirmations: 0, unseenMs: seen.unseenMs }, seen.delayMs, tools)
    case 'givenUp': {
      const message = `txHash: no such transaction has appeared on chain ${chainId} within ${seen.within}.`
      return settle(work, refused(message), tools)
    }
    case 'unmined': {
      const message = `txHash: no block has had the transaction within ${seen.within}. Send the report again once it is mined.`
      if (seen.isOverdue) return settle(work, refused(message), tools)
      return lookAgain(work, { confirmations: 0, unseenMs: 0 }, seen.delayMs, tools)
    }
    case 'mined':
      return verifyMined(work, seen, chain, tools)
  }
}

/** Is the transaction final, and does it move what was reported? */
async function verifyMined(
  work: DepositWork,
  { transaction, receipt, head }: MinedSighting,
  chain: Chain,
  tools: EngineTools,
): Promise<Visit> {
  const delayMs = laterLookMs(elapsedMs(work.reportedAt, tools.now()), chain.config.pollIntervalMs)
  const needed = Math.max(work.requiredConfirmations, confirmationsFor(receipt, [work.user], chain, tools))
  const depth = depthOf(receipt.blockNumber, head.number)
  // Shown no deeper than it has to be, also as long as something else keeps it from being final.
  const confirmations = Math.min(depth, needed)
  if (!(await isFinal({ receipt, confirmations: depth, needed, transaction }, chain))) {
    return lookAgain(work, { confirmations, unseenMs: 0 }, delayMs, tools)
  }
  // Judged only now that it is final: in another block it may move what it has not moved in this one.
  if (receipt.status !== 'success') return settle(work, refused('The transaction reverted; it moved nothing.'), tools)
  const found = findMovements(work, receipt, transaction.value, chain, tools)
  if (found.outcome === 'none') return settle(work, refused(found.message), tools)
  const arrived =
    found.custody === 'vault' && work.isDeposit ? await asArrived(work, found, receipt, chain, tools) : found
  if (!arrived) return lookAgain(work, { confirmations, unseenMs: 0 }, unmeasuredMs, tools)
  const { blockNumber, blockHash } = receipt
  return settle(work, { ...arrived, blockNumber: Number(blockNumber), blockHash, confirmations }, tools)
}

/** Shows how deep the transaction is, and looks again after a while. */
async function lookAgain(
  work: DepositWork,
  seen: { confirmations: number; unseenMs: number },
  delayMs: number,
  tools: Pick<EngineTools, 'store' | 'changed'>,
): Promise<Visit> {
  await tools.store.postponeDeposit({ id: work.id, delayMs, seen })
  if (seen.confirmations !== work.confirmations) tools.changed(depositTopic(work.id))
  return postponed
}

/** Movements that a report may mean. `mismatch`: what to answer if their amounts are not the report's. */
type Found = { outcome: 'found'; custody: Custody; movements: Movement[]; mismatch: string }
/** There are none, and what is wrong with the report. */
type None = { outcome: 'none'; message: string }

/**
 * The movements into the vault with the amounts that have really arrived, whatever the token's logs say. Null: these
 * can't be measured now.
 */
async function asArrived(
  work: DepositWork,
  found: Found,
  receipt: Receipt,
  chain: Chain,
  tools: Pick<EngineTools, 'codec'>,
): Promise<Found | null> {
  if (work.token === nativeToken) return found
  const logged = tools.codec
    .vaultArrivals(receipt, chain.config)
    .filter(({ token, from }) => token === work.token && from === work.user)
  const measured = await chain.measureArrivals(logged, receipt.blockNumber)
  const movements: Movement[] = []
  let { mismatch } = found
  for (const [index, { logIndex, amount: said }] of logged.entries()) {
    const amount = measured[index]!
    if (amount === null) return null
    if (amount > 0n) movements.push({ logIndex, amount })
    if (amount < said) mismatch = `amount: of ${said} only ${amount} have reached the vault; that much can be reported.`
  }
  return { ...found, movements, mismatch }
}

async function settle(work: DepositWork, result: DepositResult, tools: EngineTools): Promise<Visit> {
  const end = await tools.store.settleDeposit(work, result, tools.now())
  const { id: depositId, chainId, transactionHash: hash } = work
  if (end.outcome === 'waits') return waits(Math.max(tools.chains.get(chainId)!.config.pollIntervalMs, registeredMs))
  if (end.outcome !== 'before') tools.log.info({ depositId, chainId, hash, ...end }, 'deposit report settled')
  tools.changed(depositTopic(work.id))
  return moved
}

function refused(message: string): DepositResult {
  return { outcome: 'refused', code: 'deposit_mismatch', message }
}

/**
 * The movements that a report may mean, whether they are recorded already or not, or what is wrong with the report. Who
 * sent them decides their direction and custody, so that one movement is never taken for two kinds of the same user.
 */
function findMovements(
  work: DepositWork,
  receipt: Receipt,
  value: bigint,
  chain: Chain,
  tools: Pick<EngineTools, 'settings' | 'codec'>,
): Found | None {
  const isOurs = (address: Address | null) => isVault(address, chain.config)
  const { user, sender } = work
  // The user may have become a funder since he sent the report.
  if (work.isDeposit && tools.settings.funders.has(user))
    return none('user: what who gives the vault its inventory pays is nobody’s credit.')
  const sent = transfersOf(work, receipt, value, chain, tools).filter(({ from }) => from === sender)
  if (isOurs(sender)) {
    const withdrawals = tools.codec.vaultWithdrawals(receipt, sender)
    const own = withdrawals.filter(({ token, to }) => token === work.token && to === user)
    if (!work.isDeposit) return matching(work, 'vault', own, 'to the user by a withdrawal of the vault’s owner')
    if (own.length > 0) return none('sender: what the vault’s owner withdraws is no deposit.')
    const paid = sent.filter(({ to }) => to === user)
    return matching(work, 'wallet', paid, 'to the user')
  }
  const toVault = sent.filter(({ to }) => isOurs(to))
  if (work.isDeposit && sender === user) return matching(work, 'vault', toVault, 'to the vault')
  if (work.isDeposit) {
    const toUser = sent.filter(({ to }) => to === user)
    if (toUser.length === 0 && toVault.length > 0) {
      return none('sender: a deposit into the vault counts for who sent it, so it must be the user.')
    }
    return matching(work, 'wallet', toUser, 'to the user')
  }
  if (sender !== user) return none('sender: a withdrawal leaves the vault or the user’s own account.')
  // What goes to the vault is a deposit there; it has left the user's account, but not the service.
  const out = sent.filter(({ to }) => to !== user && !isOurs(to))
  return matching(work, 'wallet', out, 'out of the account')
}

function matching(work: DepositWork, custody: Custody, movements: Movement[], where: string): Found | None {
  const some = movements.filter(({ amount }) => amount > 0n).map(({ logIndex, amount }) => ({ logIndex, amount }))
  if (some.length === 0) {
    return none(`The transaction moves nothing of ${getAddress(work.token)} from ${getAddress(work.sender)} ${where}.`)
  }
  const mismatch = `The transaction moves ${amountsOf(some)} from ${getAddress(work.sender)} ${where}, not ${work.amount}.`
  return { outcome: 'found', custody, movements: some, mismatch }
}

function none(message: string): None {
  return { outcome: 'none', message }
}

/** A transaction may hold thousands of movements: the first few, and how many more there are. */
function amountsOf(movements: readonly Movement[]): string {
  const shown = movements.slice(0, shownAmounts).map(({ amount }) => amount.toString())
  const more = movements.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more amounts` : '')
}

type Transfer = Movement & { from: Address; to: Address | null }

/** Every transfer of the report's token that the receipt tells of. */
function transfersOf(
  work: DepositWork,
  receipt: Receipt,
  value: bigint,
  chain: Chain,
  tools: Pick<EngineTools, 'codec'>,
): Transfer[] {
  if (work.token !== nativeToken) {
    return tools.codec.transfersOf(receipt).filter((transfer) => transfer.token === work.token)
  }
  const intoVault = tools.codec.vaultArrivals(receipt, chain.config).filter(({ token }) => token === nativeToken)
  const direct = isVault(receipt.to, chain.config)
    ? []
    : [{ from: receipt.from, to: receipt.to, amount: value, logIndex: -1 }]
  return [...intoVault, ...direct]
}
