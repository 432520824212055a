import type { Knex } from 'knex'
import type { Address, Hash } from 'viem'
import { chunk } from '../../lists/chunk.js'
import { acknowledgedIn, arrivalIn, isWithdrawal, nameOfSource, sourceOf, undoneIn } from './causes.js'
import type { Database } from '../connection/database.js'
import {
  type AirdropRow,
  type BalanceRow,
  formsTable,
  type LedgerRow,
  refOf,
  type StepRow,
  type TransactionRow,
} from '../rows.js'
import { toAirdrop } from '../airdrops.js'

/** A user's balances that are not what the ledger's entries add up to. */
export type BalanceFault = {
  user: Address
  chainId: number
  token: Address
  part: string
  kept: bigint
  ledger: bigint
}

const pageSize = 5_000
/** How many steps, wallets or transactions one statement names. */
const readTogether = 500

/**
 * Adds up every user's entries and compares them with the balances that are kept beside the ledger, as of one moment.
 */
export function checkBalances(database: Database): Promise<BalanceFault[]> {
  return database.snapshot(compareBalances)
}

async function compareBalances(reader: Knex): Promise<BalanceFault[]> {
  const ledger = new Map<string, OfUser>()
  for await (const { user, chain_id, token, debit, credit, amount } of walkLedger(reader)) {
    if (user === null) continue
    const place = { user, chain_id, token }
    const entered = ledger.get(placeOf(place)) ?? { ...place, accounts: new Map<string, bigint>() }
    ledger.set(placeOf(place), entered)
    const add = (account: string, by: bigint) =>
      entered.accounts.set(account, (entered.accounts.get(account) ?? 0n) + by)
    add(debit, -BigInt(amount))
    add(credit, BigInt(amount))
  }
  return differences(reader, ledger)
}

/**
 * What the ledger says has moved in and out of the vaults, by `{chainId}:{token}`: arrivals by their cause, and what
 * operators have paid out. Withdrawals are the owner's and show on the chain by their own event.
 */
export async function readVaultMovements(
  database: Database,
): Promise<{ arrivals: Map<string, Map<string, bigint>>; paid: Map<string, bigint> }> {
  const arrivals = new Map<string, Map<string, bigint>>()
  const paid = new Map<string, bigint>()
  const add = (to: Map<string, bigint>, key: string, amount: bigint) => {
    const sum = (to.get(key) ?? 0n) + amount
    if (sum === 0n) to.delete(key)
    else to.set(key, sum)
  }
  for await (const row of walkLedger(database.knex)) {
    const amount = BigInt(row.amount)
    const place = `${row.chain_id}:${row.token}`
    // An arrival that a reorganisation has taken back is posted the other way round.
    const log = arrivalIn(row.cause)
    const arrived = arrivals.get(place) ?? new Map<string, bigint>()
    arrivals.set(place, arrived)
    if (log && row.debit === 'vault') add(arrived, log, amount)
    else if (log && row.credit === 'vault') add(arrived, log, -amount)
    // A withdrawal without credit, or of a lost credit, is booked against the solver, and
    // still is no operator's payout.
    else if (isWithdrawal(row.cause)) continue
    else if (row.credit === 'vault' && row.debit === 'solver') add(paid, place, amount)
    else if (row.debit === 'vault' && row.credit === 'solver') add(paid, place, -amount)
  }
  return { arrivals, paid }
}

/** How much of one token is owed to users, in its smallest unit. */
export type Owed = { available: bigint; reserved: bigint }

/** What is owed to all users together, by `{chainId}:{token}`. */
export async function readOwed(database: Database): Promise<Map<string, Owed>> {
  const owed = new Map<string, Owed>()
  for (const row of await readKept(database.knex)) {
    const place = `${row.chain_id}:${row.token}`
    const { available, reserved } = owed.get(place) ?? { available: 0n, reserved: 0n }
    owed.set(place, { available: available + BigInt(row.available), reserved: reserved + BigInt(row.reserved) })
  }
  return owed
}

/** A payout that the ledger knows and that no reorganisation has undone; the amount in the token's smallest unit. */
export type BookedPayout = {
  cause: string
  amount: bigint
  /** The transaction that has paid it, as its step, its airdrop or an acknowledgement names it. Null: none is named. */
  hash: Hash | null
}

/** What operators have paid out of one token by one vault, entry by entry. */
export async function readPayouts(database: Database, chainId: number, token: Address): Promise<BookedPayout[]> {
  const payouts = new Map<string, bigint>()
  for await (const row of walkLedger(database.knex, { chain_id: chainId, token })) {
    // Entries of a lost arrival are no payouts, nor are the owner's withdrawals.
    if (arrivalIn(row.cause) || isWithdrawal(row.cause)) continue
    if (row.credit === 'vault' && row.debit === 'solver') payouts.set(row.cause, BigInt(row.amount))
    else if (row.debit === 'vault' && row.credit === 'solver') payouts.delete(undoneIn(row.cause))
  }
  const hashes = await readPayingTransactions(database.knex, [...payouts.keys()])
  const hashOf = (cause: string) => acknowledgedIn(cause) ?? hashes.get(sourceOf(cause)?.name ?? '') ?? null
  return [...payouts].map(([cause, amount]) => ({ cause, amount, hash: hashOf(cause) }))
}

/**
 * Which of these transactions are in the journal. `isGivenUp`: the journal does not look after the transaction any
 * more, so nothing books what it has paid unless a step is found to have made the payout.
 */
export async function readKnownHashes(
  database: Database,
  hashes: readonly Hash[],
): Promise<Map<Hash, { isGivenUp: boolean }>> {
  const known = new Map<Hash, { isGivenUp: boolean }>()
  for (const part of chunk(hashes, readTogether)) {
    const rows = await database
      .knex(formsTable)
      .join('transactions', 'transactions.id', `${formsTable}.transaction_id`)
      .whereIn(`${formsTable}.hash`, part)
      .select<{ hash: Hash; status: TransactionRow['status'] }[]>(`${formsTable}.hash`, 'transactions.status')
    for (const { hash, status } of rows) known.set(hash, { isGivenUp: status === 'lost' })
  }
  return known
}

/**
 * The transactions by which these causes were paid, by the name of `sourceOf` the cause. Steps are read by their action
 * and airdrops by their wallet, both of which the causes name; in lists that are not too long for any database.
 */
async function readPayingTransactions(reader: Knex, causes: readonly string[]): Promise<Map<string, Hash>> {
  const found = new Map<string, Hash>()
  const actions = new Set<string>()
  const wallets = new Set<string>()
  for (const cause of causes) {
    const source = sourceOf(cause)
    if (source?.kind === 'step') actions.add(source.actionId)
    else if (source) wallets.add(source.wallet)
  }
  for (const part of chunk([...actions], readTogether)) {
    for (const row of await reader<StepRow>('steps').whereIn('action_id', part).whereNotNull('transaction_hash')) {
      found.set(nameOfSource(refOf(row)), row.transaction_hash!)
    }
  }
  for (const part of chunk([...wallets], readTogether)) {
    const rows = await reader<AirdropRow>('airdrops').whereIn('wallet', part).whereNotNull('transaction_hash')
    for (const row of rows) found.set(nameOfSource(toAirdrop(row)), row.transaction_hash!)
  }
  return found
}

async function* walkLedger(reader: Knex, where: Partial<LedgerRow> = {}): AsyncGenerator<LedgerRow> {
  for (let last = 0; ;) {
    const rows = await reader<LedgerRow>('ledger').where(where).where('id', '>', last).orderBy('id').limit(pageSize)
    yield* rows
    if (rows.length < pageSize) return
    last = rows.at(-1)!.id
  }
}

/** `ledger`: what the entries of each user and token add up to, by `placeOf`. */
async function differences(reader: Knex, ledger: Map<string, OfUser>): Promise<BalanceFault[]> {
  const kept = new Map((await readKept(reader)).map((row) => [placeOf(row), row]))
  const faults: BalanceFault[] = []
  // Also those of which only the ledger knows, or only the balances.
  for (const [place, { user, chain_id, token }] of new Map<string, Place>([...kept, ...ledger])) {
    const row = kept.get(place) ?? { available: 0, reserved: 0, wallet: 0 }
    const entered = (account: string) => ledger.get(place)?.accounts.get(account) ?? 0n
    const parts = [
      ['available', BigInt(row.available), entered('available')],
      ['reserved', BigInt(row.reserved), entered('reserved')],
      ['wallet', BigInt(row.wallet), entered('recorded')],
    ] as const
    for (const [part, amount, sum] of parts) {
      if (amount !== sum) faults.push({ user, chainId: chain_id, token, part, kept: amount, ledger: sum })
    }
  }
  return faults
}

type Place = Pick<BalanceRow, 'user' | 'chain_id' | 'token'>
/** What a user's entries in one token add up to, by account. */
type OfUser = Place & { accounts: Map<string, bigint> }

function placeOf({ user, chain_id, token }: Place): string {
  return `${user}:${chain_id}:${token}`
}

/** Reads the balances that are kept beside the ledger. */
function readKept(reader: Knex) {
  return reader<BalanceRow>('balances').select('user', 'chain_id', 'token', 'available', 'reserved', 'wallet')
}
