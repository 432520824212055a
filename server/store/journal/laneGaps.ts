import type { Address } from 'viem'
import type { Database, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { formsTable } from '../rows.js'
import { formColumns, newRow } from './journal.js'
import { type JournalTransaction, type SignedForm, toTransaction } from './journalTransactions.js'

/** What stands at a nonce of a lane where nothing does that can be mined: a filler, or what had been given up. */

/**
 * Stores a transaction at a nonce that the lane has passed and the journal never had. Null: it has it by now, or the lane was
 * stopped since it was looked at.
 */
export async function recordFiller(
  database: Database,
  filler: { chainId: number; signer: Address; nonce: number; gasLimit: bigint; form: SignedForm },
  now: number,
): Promise<JournalTransaction | null> {
  try {
    return await database.transact(async (trx) => {
      const { chainId: chain_id, signer } = filler
      if (!(await holdsActive(trx, { chain_id, signer }, now))) return null
      const row = newRow({ ...filler, to: filler.signer, data: '0x', authorizations: [], signedFor: [] }, now)
      const [id] = (await trx('transactions').insert(row)) as [number]
      trx.later(trx(formsTable).insert(formColumns(id, filler.form, now)))
      return toTransaction({ ...row, id }, [filler.form], [])
    })
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
}

/** Forgets a filler that can't be mined, since its nonce has been used by what it was missing for. False: it is no open filler. */
export async function giveUpFiller(database: Database, id: number, now: number): Promise<boolean> {
  const givenUp = await database.write((knex) =>
    knex('transactions')
      .where({ id, status: 'open', data: '0x' })
      .update({ status: 'lost', due_at: null, updated_at: now }),
  )
  return givenUp > 0
}

/**
 * Opens a transaction again that was given up, since nothing has used its nonce: a cancel is to use it up, as what it
 * carried goes on without it. It may be mined itself all the same; what has been carried out by another one meanwhile,
 * vault and delegate refuse then. False: none was given up at this nonce, or the lane is stopped.
 */
export async function reopenLost(
  database: Database,
  lane: { chainId: number; signer: Address; nonce: number },
  now: number,
): Promise<boolean> {
  const ofLane = { chain_id: lane.chainId, signer: lane.signer }
  return database.transact(async (trx) => {
    if (!(await holdsActive(trx, ofLane, now))) return false
    const lost = trx('transactions').where({ ...ofLane, nonce: lane.nonce, status: 'lost' })
    return (await lost.update({ status: 'open', due_at: now, updated_at: now })) > 0
  })
}

/** Changes the lane, so that it holds against whoever stops it, also at another node of a cluster. */
async function holdsActive(
  trx: Transaction,
  lane: { chain_id: number; signer: Address },
  now: number,
): Promise<boolean> {
  const active = trx('lanes').where({ ...lane, status: 'active' })
  return (await active.update({ updated_at: now })) > 0
}
