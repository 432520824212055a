import type { Knex } from 'knex'
import type { Address, Hash } from 'viem'
import { least, sum } from '../../domain/bigints.js'
import type { Database, Transaction } from '../connection/database.js'
import { formsOf } from './forms.js'

/**
 * An amount that the solver has paid on the strength of something that a reorganisation deeper than the confirmations
 * took away afterwards. It stays open until the payment comes again, the payout turns out not to have happened, or an
 * operator has settled it with the user.
 */
type Exposure = {
  kind: 'credit' | 'payout'
  chainId: number
  transactionHash: Hash
  user: Address
  token: Address
  /** In the token's smallest unit. */
  amount: bigint
  /** The credit that is gone; null for `payout`. */
  creditId: number | null
}

type ExposureRow = {
  id: number
  kind: Exposure['kind']
  chain_id: number
  transaction_hash: Hash
  user: Address
  token: Address
  amount: string
  open_amount: string
  /** Of a payout that was settled with the user: how much of it has gone from the chain since. */
  undone_amount: string
  credit_id: number | null
  found_at: number
  resolved_at: number | null
}

/**
 * Notes what the solver has paid without cover, as open. Not noted is the part that an operator had settled with the
 * user, and that went from the chain and has come again: that is settled still.
 */
export async function recordExposure(trx: Transaction, exposure: Exposure, now: number): Promise<void> {
  if (exposure.amount === 0n) return
  const settled = exposure.kind === 'payout' ? await takeSettled(trx, exposure) : 0n
  const open = (exposure.amount - settled).toString()
  if (open === '0') return
  await trx('exposures').insert({
    kind: exposure.kind,
    chain_id: exposure.chainId,
    transaction_hash: exposure.transactionHash,
    user: exposure.user,
    token: exposure.token,
    amount: open,
    open_amount: open,
    credit_id: exposure.creditId,
    found_at: now,
  })
}

/** Whether any exposure is open because a payment of the user on this chain has gone. */
export async function hasOpenExposure(
  trx: Transaction,
  { chainId: chain_id, user }: Pick<Exposure, 'chainId' | 'user'>,
): Promise<boolean> {
  // What is open is little; SQLite would read all exposures that there have ever been on the chain.
  const exposures = trx<ExposureRow>(trx.by('exposures', 'exposures_resolved_at_index'))
  const open = exposures.where({ kind: 'credit', chain_id, user }).whereNull('resolved_at')
  return (await open.first('id')) !== undefined
}

/** An amount that has moved on the chain, or has not after all. */
type Moved = Pick<Exposure, 'chainId' | 'transactionHash' | 'user' | 'token' | 'amount'>

/**
 * Notes that a payout has gone from the chain: its exposure, as far as that is open, is made good, as nothing was paid.
 */
export async function undoPayout(trx: Transaction, payout: Moved, now: number): Promise<void> {
  const hashes = await formsOf(trx, [payout.transactionHash])
  const covered = await coverExposures(trx, 'payout', { ...payout, hashes }, now)
  await moveSettled(trx, { ...payout, amount: payout.amount - covered }, 'goes')
}

/**
 * Notes that a payout has come again that had been settled with the user and had gone from the chain: it is settled
 * still, and takes nothing of what the user has paid since. Returns how much of the payout that holds for.
 */
export function takeSettled(trx: Transaction, payout: Moved): Promise<bigint> {
  return moveSettled(trx, payout, 'comesAgain')
}

/**
 * As `takeSettled`, for all payouts of one user and transaction; false: they are not settled
 * in full, and nothing is noted.
 */
export async function takeAllSettled(trx: Transaction, payouts: readonly Moved[]): Promise<boolean> {
  const sums = new Map<string, Moved>()
  for (const payout of payouts) {
    const key = `${payout.chainId} ${payout.token}`
    sums.set(key, { ...payout, amount: (sums.get(key)?.amount ?? 0n) + payout.amount })
  }
  for (const whole of sums.values()) {
    const rows = await settledRows(trx, whole)
    if (sum(rows.map((row) => BigInt(row.undone_amount))) < whole.amount) return false
  }
  for (const whole of sums.values()) await takeSettled(trx, whole)
  return sums.size > 0
}

/** Notes how much goes from the chain, or comes again, of a transaction's payouts that were settled with the user. */
async function moveSettled(trx: Transaction, payout: Moved, way: 'goes' | 'comesAgain'): Promise<bigint> {
  const { amount } = payout
  const rows = await settledRows(trx, payout)
  const [from, to] =
    way === 'goes' ? (['open_amount', 'undone_amount'] as const) : (['undone_amount', 'open_amount'] as const)
  let left = amount
  for (const row of rows) {
    const has = BigInt(row[from])
    const moved = least(has, left)
    if (moved === 0n) continue
    left -= moved
    const amounts = { [from]: (has - moved).toString(), [to]: (BigInt(row[to]) + moved).toString() }
    await trx('exposures').where({ id: row.id }).update(amounts)
  }
  return amount - left
}

/** The settled exposures of a transaction, under the hash of any of its signed forms. Locked. */
async function settledRows(
  trx: Transaction,
  { chainId: chain_id, transactionHash: hash, user, token }: Moved,
): Promise<ExposureRow[]> {
  return trx.lock(
    trx<ExposureRow>('exposures')
      .where({ kind: 'payout', chain_id, user, token })
      .whereIn('transaction_hash', await formsOf(trx, [hash]))
      .whereNotNull('resolved_at')
      .orderBy('id'),
  )
}

/**
 * Makes exposures good that are open under any of these hashes. A lost `credit` is made good by the same payment, which
 * has come again; a `payout` without credit by going from the chain. Returns how much of the moved amount that takes.
 */
export async function coverExposures(
  trx: Transaction,
  kind: Exposure['kind'],
  moved: Omit<Moved, 'transactionHash'> & { hashes: readonly Hash[] },
  now: number,
): Promise<bigint> {
  const { chainId: chain_id, hashes, user, token } = moved
  const rows = await trx.lock(
    trx<ExposureRow>('exposures')
      .where({ kind, chain_id, user, token })
      .whereIn('transaction_hash', hashes)
      .whereNull('resolved_at')
      .orderBy('id'),
  )
  let left = moved.amount
  for (const row of rows) {
    const open = BigInt(row.open_amount)
    const taken = least(open, left)
    if (taken === 0n) continue
    left -= taken
    await setOpen(trx, row.id, open - taken, now)
  }
  return moved.amount - left
}

/**
 * Notes that so much of what was drawn on a lost credit has not been paid out after all. Returns how much of it was not
 * covered by a payment that came again: it was open still, or an operator had settled it with the user.
 */
export async function reduceExposure(trx: Transaction, creditId: number, by: bigint, now: number): Promise<bigint> {
  const row = await trx.lock(trx<ExposureRow>('exposures').where({ credit_id: creditId })).first()
  if (!row) return 0n
  const uncovered = BigInt(row.open_amount)
  const taken = least(by, uncovered)
  const left = uncovered - taken
  if (row.resolved_at === null) await setOpen(trx, row.id, left, now)
  else if (taken > 0n) await trx('exposures').where({ id: row.id }).update({ open_amount: left.toString() })
  return taken
}

/**
 * Notes on an operator's word that what is open of an exposure has been settled with the user in some other way;
 * `open_amount` goes on telling how much that was. Nothing that comes on the chain afterwards makes it good: a payment
 * that comes again is the user's credit as a whole. A payout that turns out not to have happened gives nothing back:
 * `open_amount` is less by it, and what follows is between operator and user, as the settlement was; if it comes again,
 * it is settled still. False: there is no such exposure that is open.
 */
export async function settleExposure(database: Database, id: number, now: number): Promise<boolean> {
  const open = (knex: Knex) => knex('exposures').where({ id }).whereNull('resolved_at')
  return (await database.write((knex) => open(knex).update({ resolved_at: now }))) > 0
}

/** An exposure that nothing has made good yet. */
export type OpenExposure = Exposure & { id: number; foundAt: number }

/** The open exposures of all chains, oldest first; a thousand at most. */
export async function readOpenExposures(database: Database): Promise<OpenExposure[]> {
  const rows = await database.knex<ExposureRow>('exposures').whereNull('resolved_at').orderBy('id').limit(1_000)
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    chainId: row.chain_id,
    transactionHash: row.transaction_hash,
    user: row.user,
    token: row.token,
    amount: BigInt(row.open_amount),
    creditId: row.credit_id,
    foundAt: row.found_at,
  }))
}

async function setOpen(trx: Transaction, id: number, open: bigint, now: number): Promise<void> {
  const isResolved = open <= 0n
  await trx('exposures')
    .where({ id })
    .update({ open_amount: isResolved ? '0' : open.toString(), resolved_at: isResolved ? now : null })
}
