import type { Address, Hash } from 'viem'
import { nameOfStep, type StepRef } from '../../domain/action.js'
import type { Airdrop, AirdropKey } from '../../domain/airdrop.js'
import type { CreditRow } from '../rows.js'
import type { DepositRow } from './deposits.js'

/**
 * The causes of the ledger's entries, all made and read here. A cause stands in the ledger once, so nothing is booked
 * twice. The ledger keeps them, so a cause is never written otherwise than it was before.
 *
 *   payout:{step}:{attempt}:{index}                            what a step has paid out; see `attemptOf`
 *   airdrop:{chainId}:{token}:{wallet}:{round}[:{undone}]      what an airdrop has paid out
 *   acknowledged:{chainId}:{hash}:{token}[:{user}][:{undone}]  a payout booked on an operator's word
 *   arrival:{chainId}:{hash}:{logIndex}[:{lost}]               what a log has brought, `lost` times lost before
 *   cover:{arrival}                                            the part of it that has made exposures good
 *   lost:{arrival}:available                                   a credit whose log is gone: what was left of it
 *   lost:{arrival}:exposed                                     the same: what was not
 *   {kind}:{step}:{attempt}:{creditId}                         what a step does to a credit; see `StepMove`
 *   withdrawal:{record}:{creditId}                             a withdrawal from the vault, by its credit
 *   withdrawal:{record}:none                                   the part that no credit covers
 *   wallet-in:{record}, wallet-out:{record}                    a movement of the user's own account
 *   undone:{cause}                                             the entry the other way round, by a reorganisation
 *   undone:record:{depositId}:{reopenings}                     the same of `wallet-in` and `wallet-out`
 *   return:{undone withdrawal}:{creditId}                      back to the user as one from a lost credit is undone
 *
 * {step}: `nameOfStep`. {record}: {chainId}:{hash}:{logIndex}:record{depositId}[:again{reopenings}].
 * [:{undone}]: how often the entry was undone before. `return` ends with another {creditId}, that of the lost
 * credit which the first one has followed.
 */

type Log = Pick<CreditRow, 'chain_id' | 'transaction_hash' | 'log_index'>
type DepositRecord = Pick<DepositRow, 'id' | 'chain_id' | 'transaction_hash' | 'reopenings'>

/** What the causes of a step's payouts begin with, whichever attempt has made them. */
function payoutsOfStep(ref: StepRef): string {
  return `payout:${nameOfStep(ref)}`
}

/** What the causes of the payouts of one attempt of a step begin with. */
export function payoutsOfAttempt(ref: StepRef, attempt: string): string {
  return `${payoutsOfStep(ref)}:${attempt}:`
}

/** `index`: the payout's position among those of the attempt. */
export function payoutCause(ref: StepRef, attempt: string, index: number): string {
  return `${payoutsOfAttempt(ref, attempt)}${index}`
}

/** Names an airdrop's payout by its round. */
export function airdropCause({ chainId, token, wallet, round }: AirdropKey & Pick<Airdrop, 'round'>): string {
  return `airdrop:${chainId}:${token}:${wallet}:${round}`
}

/** Names a payout that an operator has acknowledged. Without a user: also what the causes for all users begin with. */
export function acknowledgedCause(payout: {
  chainId: number
  token: Address
  transactionHash: Hash
  user: Address | null
}): string {
  const { chainId, token, transactionHash, user } = payout
  return `acknowledged:${chainId}:${transactionHash}:${token}${user ? `:${user}` : ''}`
}

/** Names an arrival by its log and, after a reorganisation, by how often it had been lost before. */
export function arrivalCause(log: Log, lostBefore: number): string {
  const cause = `arrival:${log.chain_id}:${log.transaction_hash}:${log.log_index}`
  return lostBefore === 0 ? cause : `${cause}:${lostBefore}`
}

export function coverCause(arrival: string): string {
  return `cover:${arrival}`
}

export function lostCause(arrival: string, part: 'available' | 'exposed'): string {
  return `lost:${arrival}:${part}`
}

/**
 * What a step does to a credit. `reserve` sets credit aside, `release` gives it back, `spend` makes it the solver's.
 * After a reorganisation `unspend` undoes a `spend`; `recoup` takes the place of a `release` where the credit is lost;
 * and `return` gives that to the user after all, where the payment has come again.
 */
export type StepMove = 'reserve' | 'release' | 'spend' | 'unspend' | 'recoup' | 'return'

export function stepMoveCause(kind: StepMove, ref: StepRef, attempt: string, creditId: number): string {
  return `${kind}:${nameOfStep(ref)}:${attempt}:${creditId}`
}

/**
 * Names what goes back to the user as a withdrawal from a lost credit is undone;
 * `creditId`: the credit that it goes to.
 */
export function returnCause(undoneWithdrawal: string, creditId: number): string {
  return `return:${undoneWithdrawal}:${creditId}`
}

/** A `return`, with the lost credit that it stands for. */
export function returnFor(cause: string, lostCreditId: number): string {
  return `${cause}:${lostCreditId}`
}

/** Names a record of a movement. After a reorganisation the same or another report records the movement anew. */
function recordOf(row: DepositRecord, logIndex: number): string {
  const again = row.reopenings > 0 ? `:again${row.reopenings}` : ''
  return `${row.chain_id}:${row.transaction_hash}:${logIndex}:record${row.id}${again}`
}

/** What the causes of a withdrawal from the vault begin with. */
export function withdrawalsOf(row: DepositRecord, logIndex: number): string {
  return `withdrawal:${recordOf(row, logIndex)}:`
}

/** Stands in the place of a credit's id. */
const withoutCredit = 'none'

/** `creditId`: what a withdrawal has taken from; null: the part of it that no credit was left for. */
export function withdrawalCause(row: DepositRecord, logIndex: number, creditId: number | null): string {
  return `${withdrawalsOf(row, logIndex)}${creditId ?? withoutCredit}`
}

export function walletCause(way: 'in' | 'out', row: DepositRecord, logIndex: number): string {
  return `wallet-${way}:${recordOf(row, logIndex)}`
}

export function undone(cause: string): string {
  return `undone:${cause}`
}

/** Names the undoing of a record of the user's own account. */
export function undoneRecord({ id, reopenings }: Pick<DepositRow, 'id' | 'reopenings'>): string {
  return undone(`record:${id}:${reopenings}`)
}

/** The cause under which the same is posted anew after it was undone so often. */
export function postedAgain(first: string, timesUndone: number): string {
  return timesUndone === 0 ? first : `${first}:${timesUndone}`
}

/** The cause that was undone; the cause itself where it tells of no undoing. */
export function undoneIn(cause: string): string {
  return cause.replace(/^undone:/, '')
}

/** The arrival that a cause tells of, as it came or as it was lost, however often; null: of none. */
export function arrivalIn(cause: string): string | null {
  return /arrival:\d+:0x[0-9a-f]+:-?\d+/.exec(cause)?.[0] ?? null
}

/** The log of an arrival, by its cause. */
export function logOfArrival(arrival: string): { hash: string; logIndex: number } {
  const [, , hash, logIndex] = arrival.split(':')
  return { hash: hash!, logIndex: Number(logIndex) }
}

export function isWithdrawal(cause: string): boolean {
  return /^(undone:)?withdrawal:/.test(cause)
}

/**
 * The credit that a withdrawal has taken from, by its cause, which begins with `start` (`withdrawalsOf`); `creditId`
 * null: from none. Null: a cause that goes on further, and belongs to a later record of the same log.
 */
export function takenBy(cause: string, start: string): { creditId: number | null } | null {
  const from = cause.slice(start.length)
  if (from === withoutCredit) return { creditId: null }
  return /^\d+$/.test(from) ? { creditId: Number(from) } : null
}

/** The transaction that the cause of an acknowledgement names. Null: it is the cause of something else. */
export function acknowledgedIn(cause: string): Hash | null {
  return (/^acknowledged:\d+:(0x[0-9a-f]{64}):/.exec(cause)?.[1] as Hash | undefined) ?? null
}

/** A step or an airdrop that has paid out. `name`: as `nameOfSource` gives it. */
type Source = { name: string } & ({ kind: 'step'; actionId: string } | { kind: 'airdrop'; wallet: Address })

/**
 * The step or airdrop whose payout a cause names, whichever attempt it was, and however often undone. Null: neither.
 */
export function sourceOf(cause: string): Source | null {
  const [kind, first = '', ...rest] = cause.split(':')
  if (kind === 'payout') return { kind: 'step', name: `payout:${first}`, actionId: first.split('/')[0]! }
  if (kind !== 'airdrop') return null
  const [token, wallet, round] = rest
  return { kind: 'airdrop', name: `airdrop:${first}:${token}:${wallet}:${round}`, wallet: wallet as Address }
}

/** A step, or a round of a wallet's airdrops, as the name of a source. */
export function nameOfSource(source: StepRef | (AirdropKey & Pick<Airdrop, 'round'>)): string {
  return 'wallet' in source ? airdropCause(source) : payoutsOfStep(source)
}
