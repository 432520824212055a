import type { Knex } from 'knex'
import type { Hash } from 'viem'
import { accountOf, isSameStep, nameOfStep, type StepRef } from '../../domain/action.js'
import type { SolverNeed } from '../../domain/solverNeeds.js'
import { reserveCredit, type ReserveOutcome, type Spender } from '../money/credits.js'
import type { Database, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { readSeenSteps } from './events.js'
import { areSteps, attemptOf, refOf, stepKeyColumns, type StepRow } from '../rows.js'
import { someLaneAhead } from '../journal/lanes.js'
import { lockedSteps, type StepWork } from './steps.js'

/**
 * What a step takes before anything is signed for it: its user's account on the chain, the user's credit, and the key of its
 * payout. Each is taken once, however often it is asked for, and kept until the step has ended.
 */

/** Makes each 7702 step the one open step of its user on its chain. False: another step is that, so this one waits. */
export async function takeAccounts(database: Database, works: StepWork[]): Promise<boolean[]> {
  if (await take(database, works)) return works.map(() => true)
  const free = await thoseFree(database, works)
  if (free.length === 0 || (await take(database, free))) {
    // By name, not by object: `works` has a step twice where a visit has outlasted its lease.
    const names = new Set(free.map(({ ref }) => nameOfStep(ref)))
    return works.map(({ ref }) => names.has(nameOfStep(ref)))
  }
  // Other claimers take some of the same accounts at this moment, so one by one.
  const taken: boolean[] = []
  for (const work of works) taken.push(await take(database, [work]))
  return taken
}

/** The works whose account is free or their own already; of several that want the same account, the first. */
async function thoseFree(database: Database, works: readonly StepWork[]): Promise<StepWork[]> {
  const rows = await stepsWithAccounts(database.knex, works.map(accountOf))
  const holders = new Map(rows.map((row) => [row.open_account, nameOfStep(refOf(row))]))
  const free = new Map<string, StepWork>()
  for (const work of works) {
    const account = accountOf(work)
    const holder = holders.get(account)
    if (!free.has(account) && (holder === undefined || holder === nameOfStep(work.ref))) free.set(account, work)
  }
  return [...free.values()]
}

/** What `accountOf` gives for a step, as an SQL expression on the row that is being written. */
export function ownAccount(database: Database): Knex.Raw {
  return database.knex.raw("concat(chain_id, ':', ??)", ['user'])
}

/** The statement that reads which steps have these accounts, at least one. */
export function stepsWithAccounts(from: Knex | Transaction, accounts: readonly string[]) {
  return (from as Transaction)<StepRow>('steps')
    .whereIn('open_account', accounts)
    .select('action_id', 'intent_index', 'step_index', 'status', 'open_account')
}

/** Takes the accounts of all these steps, or of none. False: another step has one of the accounts. */
async function take(database: Database, works: StepWork[]): Promise<boolean> {
  const { sql, bindings } = areSteps(works.map(({ ref }) => ref))
  const takeAll = async (trx: Transaction) => {
    const open_account = ownAccount(database)
    trx.later(trx('steps').whereRaw(sql, bindings).where({ status: 'executing' }).update({ open_account }))
  }
  try {
    // Not durable: the recording of the transaction that needs the account is, and comes after it.
    await database.transact(takeAll, { durable: false })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** Frees the account of a step that can't use it yet, for other steps. A step that a transaction carries keeps its account. */
export async function giveAccountBack(database: Database, ref: StepRef): Promise<void> {
  await database.write((knex) =>
    knex('steps').where(stepKeyColumns(ref)).whereNull('transaction_id').update({ open_account: null }),
  )
}

/**
 * Sets credit aside for a step that was accepted while the step before it was still under way. Credit that was set aside
 * before, and whose payment a reorganisation has taken away, pays for nothing: `insufficient` then (something had been signed
 * for the step, and has come to nothing). `held`: nothing is paid on credit for now, since a lane is ahead of the journal.
 * `isPaid`: the vault has paid the step already, so its credit is spent all the same.
 */
export async function reserveForStep(
  database: Database,
  work: StepWork,
  needs: SolverNeed[],
  { isPaid }: { isPaid: boolean },
  now: number,
): Promise<ReserveOutcome | { outcome: 'stale' } | { outcome: 'held' }> {
  return database.transact(async (trx) => {
    const [[row], ahead] = await trx.together(lockedSteps(database, trx, [work.ref]), someLaneAhead(trx))
    if (row?.status !== 'executing') return { outcome: 'stale' }
    if (ahead.length > 0 && !isPaid) return { outcome: 'held' }
    const reserved = await reserveCredit(database, trx, spenderOf(row), needs, now)
    const [need] = needs
    if (reserved.outcome !== 'reserved' || !reserved.isLost || !need) return reserved
    return { outcome: 'insufficient', token: need.token, required: need.amount, available: 0n }
  })
}

/**
 * Fixes the key by which the vault remembers the step's payout; a key that is fixed stays. False: another step has the key,
 * and pays under it, has paid or may pay yet. A step that has failed for certain gives the key up: a reorganisation may have
 * taken its payment away, which came again for this step. Throws where this step has a different key already. Only a visit
 * that began before the payment was replaced asks for a key that is out of date, and what it would sign would be looked for
 * under the fixed key and not be found.
 */
export async function fixStepKey(database: Database, ref: StepRef, stepKey: Hash): Promise<boolean> {
  const fix = async (from: Knex | Transaction) => {
    const step = () => (from as Transaction)<StepRow>('steps').where(stepKeyColumns(ref))
    const fixed = await step().whereNull('step_key').update({ step_key: stepKey })
    if (fixed === 0 && (await step().first('step_key'))?.step_key !== stepKey)
      throw new Error('The step has got another key meanwhile')
  }
  try {
    await database.write(fix)
    return true
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
  return database.transact(async (trx) => {
    const holder = await database.lock(trx<StepRow>('steps').where({ step_key: stepKey })).first()
    if (holder && (await mayYetPay(trx, holder))) return false
    if (holder)
      await trx('steps')
        .where(stepKeyColumns(refOf(holder)))
        .update({ step_key: null })
    await fix(trx)
    return true
  })
}

/**
 * Whether a step pays under its key, has paid or may pay yet: a failed step pays after all when a reorganisation takes away
 * the block in which a transaction of any of its attempts had come to nothing. So a failed step may, if any of its events
 * names a transaction.
 */
export async function mayYetPay(
  trx: Transaction,
  step: Pick<StepRow, 'action_id' | 'intent_index' | 'step_index'> & { status: string },
): Promise<boolean> {
  if (step.status === 'executing' || step.status === 'success') return true
  const seen = await readSeenSteps(trx, step.action_id)
  return seen.some((view) => view.transactionHash !== null && isSameStep(view, refOf(step)))
}

/** Who draws on credit when the step pays. */
export function spenderOf(row: StepRow): Spender {
  const signed = row.mode === '7702'
  return { ref: refOf(row), user: row.user, chainId: row.chain_id, signed, attempt: attemptOf(row) }
}
