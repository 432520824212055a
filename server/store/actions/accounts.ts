import { accountOf, nameOfStep, type StepRef } from '../../domain/action.js'
import type { Database, Reader, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { areSteps, ownAccount, refOf, stepKeyColumns, type StepRow } from '../rows.js'
import type { StepWork } from './steps.js'

/**
 * What a 7702 step takes before anything is signed for it: its user's account on the chain. It is taken once, however
 * often it is asked for, and kept until the step has ended.
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

/** The statement that reads which steps have these accounts, at least one. */
export function stepsWithAccounts(from: Reader, accounts: readonly string[]) {
  return from<StepRow>('steps')
    .whereIn('open_account', accounts)
    .select('action_id', 'intent_index', 'step_index', 'status', 'open_account')
}

/** Takes the accounts of all these steps, or of none. False: another step has one of the accounts. */
async function take(database: Database, works: StepWork[]): Promise<boolean> {
  const { sql, bindings } = areSteps(works.map(({ ref }) => ref))
  const takeAll = async (trx: Transaction) => {
    const open_account = ownAccount(trx)
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

/**
 * Frees the account of a step that can't use it yet, for other steps. A step that a
 * transaction carries keeps its account.
 */
export async function giveAccountBack(database: Database, ref: StepRef): Promise<void> {
  await database.write((knex) =>
    knex('steps').where(stepKeyColumns(ref)).whereNull('transaction_id').update({ open_account: null }),
  )
}
