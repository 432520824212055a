import type { Address, Hash } from 'viem'
import type { Database, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { forgetEmptyLedger, isLedgerNew } from '../emptyLedger.js'
import { formsTable } from '../rows.js'
import { storedMessage } from '../storedMessage.js'

/**
 * A lane is one signer on one chain, with the nonce that is to be signed next. States: `active`: takes work. `paused`:
 * an operator stopped it; nothing new is signed, open transactions are still watched. `ahead`: stopped in the same way,
 * since the chain has used nonces of the lane that the journal does not know. Then the database may be older than the
 * chain, or have been replaced by an empty one, and show credit that is spent: as long as any lane is ahead, no lane of
 * any chain pays out on credit. `pausedAhead`: both ahead and paused by an operator; it stays paused when it is ahead
 * no more. `retired`: its key pays nothing any more. Its nonces are not compared with the chain, so that whoever has
 * got the key can't hold up payouts. That is for good: an older database would show nothing of what the key had signed
 * after a return. Only an operator makes a lane active again.
 */
export type Lane = {
  chainId: number
  signer: Address
  nextNonce: number
  /** A lane that is ahead is paused too. */
  status: 'active' | 'paused'
  /** True: nothing is paid out on credit, on any chain, until an operator resumes the lane. */
  isAhead: boolean
  /** Paused for good. */
  isRetired: boolean
  reason: string | null
}

type LaneStatus = 'active' | 'paused' | 'ahead' | 'pausedAhead' | 'retired'

export const aheadStatuses: LaneStatus[] = ['ahead', 'pausedAhead']

export type LaneRow = {
  chain_id: number
  signer: Address
  next_nonce: number
  status: LaneStatus
  reason: string | null
}

/** What becomes of a lane that is opened while the ledger is new, by a key that has been used before. */
type IfLedgerIsNew = {
  /** Why it is opened as `ahead`. */
  aheadFor: string
  /** What becomes of it where the ledger is not new. */
  otherwise: 'active' | 'unopened'
}

/**
 * Opens a lane at the chain's nonce, as active where `ifLedgerIsNew` does not say otherwise; one that exists stays as
 * it is. Returns whether it was opened as `ahead`.
 */
export async function openLane(
  database: Database,
  lane: { chainId: number; signer: Address; chainNonce: number; ifLedgerIsNew: IfLedgerIsNew | null },
  now: number,
): Promise<boolean> {
  const { chainId, signer, chainNonce, ifLedgerIsNew } = lane
  try {
    return await database.transact(async (trx) => {
      const isAhead = ifLedgerIsNew !== null && (await isLedgerNew(trx, chainId))
      if (!isAhead && ifLedgerIsNew?.otherwise === 'unopened') return false
      const status: LaneStatus = isAhead ? 'ahead' : 'active'
      const reason = isAhead ? storedMessage(ifLedgerIsNew.aheadFor) : null
      await trx('lanes').insert({ chain_id: chainId, signer, next_nonce: chainNonce, status, reason, updated_at: now })
      return isAhead
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    return false
  }
}

/** Notes that the lanes of all keys that the service was started with are open on a chain. */
export function noteLanesOpen(database: Database, chainId: number): Promise<void> {
  return database.transact((trx) => forgetEmptyLedger(trx, chainId))
}

export async function readLanes(database: Database, chainId: number): Promise<Lane[]> {
  const rows = await database.knex<LaneRow>('lanes').where({ chain_id: chainId }).orderBy('signer')
  return rows.map((row) => ({
    chainId: row.chain_id,
    signer: row.signer,
    nextNonce: row.next_nonce,
    status: row.status === 'active' ? 'active' : 'paused',
    isAhead: aheadStatuses.includes(row.status),
    isRetired: row.status === 'retired',
    reason: row.reason,
  }))
}

/**
 * Stops a lane from signing anything new, on an operator's word; a lane that is ahead stays
 * ahead too. False: no such lane.
 */
export async function pauseLane(
  database: Database,
  lane: { chainId: number; signer: Address; reason: string },
  now: number,
): Promise<boolean> {
  const key = { chain_id: lane.chainId, signer: lane.signer }
  const reason = storedMessage(lane.reason)
  const paused = await database.write((knex) =>
    knex('lanes')
      .where(key)
      .update({
        status: knex.raw(
          "case when status in ('ahead', 'pausedAhead') then 'pausedAhead' when status = 'retired' then status else 'paused' end",
        ),
        reason,
        updated_at: now,
      }),
  )
  return paused > 0
}

/**
 * `chainNonce`: the chain's, which is past the journal's. `usedNonce`: of an open
 * transaction; something else has used it.
 */
export type LaneAhead = { chainNonce: number } | { usedNonce: number }

/**
 * Notes that the chain knows more of a lane than the journal: it is past all nonces of the journal, or has used
 * one for a transaction that is not the journal's. Noted only if the finding still holds: one that rests on an
 * old view of the database stops nothing, and one that holds is not lost because the lane has signed more
 * meanwhile. False: it does not hold.
 */
export async function noteLaneAhead(
  database: Database,
  lane: { chainId: number; signer: Address; reason: string; found: LaneAhead },
  now: number,
): Promise<boolean> {
  const { chainId, signer, found } = lane
  const key = { chain_id: chainId, signer }
  const noted = await database.write((knex) =>
    knex('lanes')
      .where(key)
      .where((holds) =>
        'chainNonce' in found
          ? holds.where('next_nonce', '<', found.chainNonce)
          : holds.whereExists(
              knex('transactions')
                .where({ ...key, nonce: found.usedNonce, status: 'open' })
                .whereNull('mined_block'),
            ),
      )
      .whereNot({ status: 'retired' satisfies LaneStatus })
      .update({
        status: knex.raw("case when status in ('paused', 'pausedAhead') then 'pausedAhead' else 'ahead' end"),
        reason: storedMessage(lane.reason),
        updated_at: now,
      }),
  )
  return noted > 0
}

/**
 * `open`: not retired, as so many of its transactions are open; `mined` of them were seen
 * mined, and are to be settled first.
 */
type Retirement =
  { outcome: 'retired'; givenUp: number } | { outcome: 'noLane' } | { outcome: 'open'; open: number; mined: number }

/**
 * Stops a lane for good. `givesUp`: its open transactions are given up, as they are by `resumeLane`. Only to be
 * used where the vaults do not know its key any more: one that is mined all the same then pays nothing, and
 * runs what a user has signed once.
 */
export async function retireLane(
  database: Database,
  { chainId, signer, givesUp }: { chainId: number; signer: Address; givesUp: boolean },
  now: number,
): Promise<Retirement> {
  const key = { chain_id: chainId, signer }
  const retirement = await database.transact(async (trx): Promise<Retirement> => {
    const row = await trx.lock(trx<LaneRow>('lanes').where(key)).first()
    if (!row) return { outcome: 'noLane' }
    const open = (await trx
      .lock(trx('transactions').where({ ...key, status: 'open' }))
      .select('id', 'mined_block')) as { id: number; mined_block: number | null }[]
    const mined = open.filter(({ mined_block }) => mined_block !== null).length
    if (mined > 0 || (open.length > 0 && !givesUp)) return { outcome: 'open', open: open.length, mined }
    await giveUp(
      trx,
      open.map(({ id }) => id),
      now,
    )
    const status: LaneStatus = 'retired'
    await trx('lanes').where(key).update({ status, reason: 'retired by an operator', updated_at: now })
    return { outcome: 'retired', givenUp: open.length }
  })
  if (retirement.outcome === 'retired') await hurryWaiting(database)
  return retirement
}

/** Makes the transactions `lost`, and has the steps and airdrops that they carried prepared anew. */
async function giveUp(trx: Transaction, ids: readonly number[], now: number): Promise<void> {
  for (const table of ['steps', 'airdrops']) {
    await trx(table)
      .whereIn('transaction_id', ids)
      .where({ status: 'executing' })
      .update({ transaction_id: null, due_at: trx.atOnce() })
  }
  await trx('transactions')
    .whereIn('id', ids)
    .where({ status: 'open' })
    .update({ status: 'lost', due_at: null, updated_at: now })
}

/**
 * Makes waiting steps due at once, payouts that were held among them: these wait for up to half a minute between looks.
 */
async function hurryWaiting(database: Database): Promise<void> {
  await database.write((knex) =>
    knex('steps')
      .where('due_at', '>', database.atOnce())
      // Not steps whose transaction no node knows yet: `unseen_ms` counts the time until their next look already.
      .where('unseen_ms', 0)
      .update({ due_at: database.atOnce() }),
  )
}

/**
 * The statement that reads the lanes of any chain that are ahead of the journal: any row means that payouts are held.
 */
export function someLaneAhead(trx: Transaction) {
  return trx<LaneRow>('lanes').whereIn('status', aheadStatuses).select('signer')
}

/**
 * How many transactions of each signer are open. Counted here: to group by signer, SQLite would go through all
 * transactions that the signers have ever sent, in the order of their nonces.
 */
export async function countOpenTransactions(database: Database, chainId: number): Promise<Map<Address, number>> {
  const rows = await database
    .knex('transactions')
    .where({ chain_id: chainId, status: 'open' })
    .select<{ signer: Address }[]>('signer')
  const counts = new Map<Address, number>()
  for (const { signer } of rows) counts.set(signer, (counts.get(signer) ?? 0) + 1)
  return counts
}

/** As `countOpenTransactions`, of each of these chains; a chain that is named several times is counted once. */
export async function countOpenOf(database: Database, chainIds: readonly number[]): Promise<Map<Address, number>[]> {
  const counted = new Map<number, Map<Address, number>>()
  for (const chainId of new Set(chainIds)) counted.set(chainId, await countOpenTransactions(database, chainId))
  return chainIds.map((chainId) => counted.get(chainId)!)
}

/** Open transactions of a lane whose nonces the chain has used up and that were not seen mined; oldest nonce first. */
export async function readUsedUp(
  database: Database,
  lane: { chainId: number; signer: Address; chainNonce: number },
): Promise<{ id: number; nonce: number; hashes: Hash[] }[]> {
  const rows = await database
    .knex('transactions')
    .where({ chain_id: lane.chainId, signer: lane.signer, status: 'open' })
    .whereNull('mined_block')
    // Sums, for the reason given in `lowestUnminedNonce`.
    .whereRaw('nonce + 0 < ?', [lane.chainNonce])
    .orderByRaw('nonce + 0')
    .select<{ id: number; nonce: number }[]>('id', 'nonce')
  if (rows.length === 0) return []
  const forms = await database
    .knex(formsTable)
    .whereIn(
      'transaction_id',
      rows.map(({ id }) => id),
    )
    .select<{ transaction_id: number; hash: Hash }[]>('transaction_id', 'hash')
  return rows.map(({ id, nonce }) => {
    const hashes = forms.filter((form) => form.transaction_id === id).map(({ hash }) => hash)
    return { id, nonce, hashes }
  })
}

/**
 * Makes a lane active again on an operator's word, at the chain's nonce if that is ahead. A lane that was paused before
 * it was found ahead is paused again, and has to be resumed once more. `lost`: transactions that can never be mined,
 * since something else has used their nonces; what they carried is prepared anew. That pays nothing twice even if the
 * operator is wrong: vault and delegate remember what they have done.
 */
export async function resumeLane(
  database: Database,
  lane: { chainId: number; signer: Address; chainNonce: number; lost: number[] },
  now: number,
): Promise<Lane['status']> {
  const key = { chain_id: lane.chainId, signer: lane.signer }
  const status = await database.transact(async (trx) => {
    const row = await trx.lock(trx<LaneRow>('lanes').where(key)).first()
    if (!row) throw new Error(`There is no lane of ${lane.signer} on chain ${lane.chainId}`)
    if (row.status === 'retired') throw new Error(`The lane of ${lane.signer} is retired for good: use another key`)
    await giveUp(trx, lane.lost, now)
    await forgetEmptyLedger(trx, lane.chainId)
    const staysPaused = row.status === 'pausedAhead'
    const status = staysPaused ? 'paused' : 'active'
    await trx('lanes')
      .where(key)
      .update({
        status,
        reason: staysPaused ? 'as it was before the chain was ahead of it' : null,
        next_nonce: Math.max(row.next_nonce, lane.chainNonce),
        updated_at: now,
      })
    return status
  })
  await hurryWaiting(database)
  return status
}
