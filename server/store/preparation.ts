import type { Hash } from 'viem'
import type { StepRef } from '../domain/action.js'
import type { SolverNeed } from '../domain/solverNeeds.js'
import { reserveCredit, type ReserveOutcome, type Spender } from './credits.js'
import { type Database, isDuplicate, type Transaction } from './database.js'
import { areSteps, attemptOf, refOf, stepKeyColumns, type StepRow } from './rows.js'
import type { StepWork } from './steps.js'

/**
 * What a step takes before anything is signed for it: its user's account, his credit, the key of its payout. Each is taken
 * once, whoever asks again, and kept until the step has ended.
 */

/** Makes each 7702 step the one open step of its user on its chain. False: another one is, so this one waits. */
export async function takeAccounts(database: Database, works: StepWork[]): Promise<boolean[]> {
  const takeAll = async (trx: Transaction) => {
    if (await take(trx, works)) return works.map(() => true)
    const taken = new Map<StepWork, boolean>()
    // In one order everywhere, so that locks of several groups don't cross.
    for (const work of [...works].sort((a, b) => (accountOf(a) < accountOf(b) ? -1 : 1))) {
      taken.set(work, await take(trx, [work]))
    }
    return works.map((work) => taken.get(work)!)
  }
  // It lasts at the latest when the transaction that needs it is recorded.
  return database.transact(takeAll, { durable: false })
}

/** All of them or none; a refused statement leaves the rest of its transaction as it is, on both databases. */
async function take(trx: Transaction, works: StepWork[]): Promise<boolean> {
  const { sql, bindings } = areSteps(works.map(({ ref }) => ref))
  try {
    await trx('steps')
      .whereRaw(sql, bindings)
      .where({ status: 'executing' })
      .update({ open_account: trx.raw("concat(chain_id, ':', ??)", ['user']) })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

function accountOf(work: StepWork): string {
  return `${work.view.chainId}:${work.user}`
}

/** Sets credit aside for a step that was accepted while the one before it was still under way. */
export async function reserveForStep(
  database: Database,
  work: StepWork,
  needs: SolverNeed[],
  now: number,
): Promise<ReserveOutcome | { outcome: 'stale' }> {
  return database.transact(async (trx) => {
    const row = await database.lock(trx<StepRow>('steps').where(stepKeyColumns(work.ref))).first()
    if (row?.status !== 'executing') return { outcome: 'stale' }
    return reserveCredit(database, trx, spenderOf(row), needs, now)
  })
}

/** Fixes the key by which the vault remembers the step's payout; the first one stays. False: another step has it. */
export async function fixStepKey(database: Database, ref: StepRef, stepKey: Hash): Promise<boolean> {
  try {
    await database.write((knex) =>
      knex('steps').where(stepKeyColumns(ref)).whereNull('step_key').update({ step_key: stepKey }),
    )
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** Who draws on credit when the step pays. */
export function spenderOf(row: StepRow): Spender {
  const signed = row.mode === '7702'
  return { ref: refOf(row), user: row.user, chainId: row.chain_id, signed, attempt: attemptOf(row) }
}
