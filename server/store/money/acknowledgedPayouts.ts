import type { Address, Hash } from 'viem'
import { sum } from '../../domain/bigints.js'
import type { Database, Transaction } from '../connection/database.js'
import { recordExposure, undoPayout } from './exposures.js'
import { acknowledgedCause, nameOfSource, sourceOf, undone } from './causes.js'
import { post, standingCause } from './ledger.js'
import { type AirdropRow, beginningWith, type LedgerRow, refOf, type StepRow } from '../rows.js'

/**
 * What a vault has paid of one token, to one user if he is known, in a transaction that is not known to belong to any
 * step or airdrop of this database.
 */
export type UnknownPayout = {
  chainId: number
  token: Address
  transactionHash: Hash
  user: Address | null
}

/** What the payout's transaction, as it is on the chain, and the ledger tell of it. */
type PaidInIt = {
  /** How much of the token is not booked by steps and airdrops. */
  atMost: bigint
  /** The causes under which steps and airdrops have booked the rest. */
  causes: readonly string[]
  /** The keys of all payouts that the vault made in the transaction. */
  stepKeys: readonly Hash[]
  recipients: readonly Address[]
}

/**
 * `tooMuch`: with what is `acknowledged` already, it would be more than was paid. `before`: this user's payout
 * is acknowledged already. `underWay`: a step or an airdrop that may have made the payout has not ended, or
 * only just, and books it itself.
 */
type Acknowledgement = { outcome: 'booked' | 'before' | 'underWay' } | { outcome: 'tooMuch'; acknowledged: bigint }

/**
 * Books a payout of this amount on an operator's word, once for each transaction, token and user, and for all users
 * together never more than `atMost`. No credit is taken for it: the chain does not tell whose credit paid for it, nor
 * of which token and chain. Where the operator knows the user, the payout is an exposure until it is settled with him.
 */
export function acknowledgePayout(
  database: Database,
  { amount, found, ...payout }: UnknownPayout & { amount: bigint; found: PaidInIt },
  now: number,
): Promise<Acknowledgement> {
  return database.transact(async (trx): Promise<Acknowledgement> => {
    await waitForOthers(trx, now)
    if (await isUnderWay(trx, payout, found)) return { outcome: 'underWay' }
    const acknowledged = await readAcknowledged(trx, payout)
    if (acknowledged + amount > found.atMost) return { outcome: 'tooMuch', acknowledged }
    const cause = await standingCause(trx, acknowledgedCause(payout))
    if (await trx<LedgerRow>('ledger').where({ cause }).first('id')) return { outcome: 'before' }
    const { chainId, token, user } = payout
    post(trx, [{ cause, debit: 'solver', credit: 'vault', user, chainId, token, amount }], now)
    if (user) await recordExposure(trx, { kind: 'payout', ...payout, user, amount, creditId: null }, now)
    return { outcome: 'booked' }
  })
}

/**
 * Whether a step or an airdrop may still book the payout. Locks the steps, so that none of
 * them ends meanwhile, nor begins.
 */
async function isUnderWay(
  trx: Transaction,
  { chainId: chain_id, token, transactionHash }: UnknownPayout,
  { causes, stepKeys, recipients }: PaidInIt,
): Promise<boolean> {
  const steps = await trx.lock(trx<StepRow>('steps').whereIn('step_key', stepKeys))
  const isBooked = (row: StepRow) => causes.some((cause) => sourceOf(cause)?.name === nameOfSource(refOf(row)))
  const isOpen = (row: StepRow) =>
    row.status === 'executing' ||
    (row.transaction_hash === transactionHash && row.status === 'success' && !isBooked(row))
  if (steps.some(isOpen)) return true
  const airdrops = trx<AirdropRow>('airdrops')
    .where({ chain_id, token, status: 'executing' })
    .whereIn('wallet', recipients)
  return (await airdrops.first('wallet')) !== undefined
}

/**
 * Has acknowledgements follow each other, since two at once would not see each other's entries: a row with a unique
 * name is inserted, for which another transaction that does the same has to wait.
 */
async function waitForOthers(trx: Transaction, now: number): Promise<void> {
  const name = 'acknowledging a payout'
  await trx('service_state').insert({ name, value: 'yes', updated_at: now })
  await trx('service_state').where({ name }).delete()
}

/** How much is acknowledged of a transaction and token, for all users together, without what was undone. */
async function readAcknowledged(trx: Transaction, payout: UnknownPayout): Promise<bigint> {
  const start = acknowledgedCause({ ...payout, user: null })
  const read = (prefix: string) =>
    trx<LedgerRow>('ledger')
      .whereBetween(...beginningWith('cause', prefix))
      .select('cause', 'amount')
  const total = async (prefix: string) => sum((await read(prefix)).map(({ amount }) => BigInt(amount)))
  return (await total(start)) - (await total(undone(start)))
}

/**
 * Undoes an acknowledgement, with what is open of its exposure, since a step has been found to have made the payout.
 * Returns its amount; null: it is not booked.
 */
export function forgetPayout(database: Database, payout: UnknownPayout, now: number): Promise<bigint | null> {
  return database.transact(async (trx) => {
    const cause = await standingCause(trx, acknowledgedCause(payout))
    const row = await trx<LedgerRow>('ledger').where({ cause }).first('user', 'amount')
    if (!row) return null
    const { chainId, token } = payout
    const amount = BigInt(row.amount)
    const entry = { cause: undone(cause), debit: 'vault', credit: 'solver', user: row.user } as const
    post(trx, [{ ...entry, chainId, token, amount }], now)
    if (row.user) await undoPayout(trx, { ...payout, user: row.user, amount }, now)
    return amount
  })
}
