import type { Address } from 'viem'
import type { Database, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { formsTable } from '../rows.js'
import { formColumns, newRow } from './journal.js'
import { type JournalTransaction, type SignedForm, toTransaction } from './journalTransactions.js'

/**
 * A gap is a nonce of a lane at which the journal has no open transaction, so that the chain waits for it
 * and mines nothing after it. It is filled by a filler, which pays and carries nothing, or by a transaction
 * that had been given up (`lost`).
 */

/**
 * Stores a filler at a nonce that the lane has passed and the journal never had. Null: the journal has a transaction at
 * this nonce by now, or the lane is not active any more.
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

/**
 * Gives a filler up: the transaction that the journal was missing has used the nonce.
 * False: there is no such open filler.
 */
export async function giveUpFiller(database: Database, id: number, now: number): Promise<boolean> {
  const givenUp = await database.write((knex) =>
    knex('transactions')
      .where({ id, status: 'open', data: '0x' })
      .update({ status: 'lost', due_at: null, updated_at: now }),
  )
  return givenUp > 0
}

/**
 * Opens a transaction again that was given up, since nothing has used its nonce: a cancel is to use the nonce up, as
 * the steps and the airdrop that the transaction carried go on without it. It may be mined itself all the same; vault
 * and delegate then refuse what another transaction has carried out meanwhile. False: none was given up at this
 * nonce, or the lane is not active.
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

/**
 * Whether the lane is active. Asked by a write, so that the answer holds until the transaction ends, whoever stops the
 * lane, also at another node of a cluster.
 */
async function holdsActive(
  trx: Transaction,
  lane: { chain_id: number; signer: Address },
  now: number,
): Promise<boolean> {
  const active = trx('lanes').where({ ...lane, status: 'active' })
  return (await active.update({ updated_at: now })) > 0
}
