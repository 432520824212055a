import { sum } from '../../domain/bigints.js'
import { groupBy } from '../../lists/groupBy.js'
import { moveBalance } from './balances.js'
import type { Transaction } from '../connection/database.js'
import { post, type Posting } from './ledger.js'
import { writtenTogether } from '../writtenTogether.js'
import type { CreditRow } from '../rows.js'

/**
 * What is added to a credit and to its user's balance, in the token's smallest unit, and what the ledger says of it.
 */
export type CreditMove = {
  /** As it is in the database, locked. */
  credit: CreditRow
  by: { available?: bigint; reserved?: bigint }
  posting: Pick<Posting, 'cause' | 'debit' | 'credit' | 'amount'>
}

/**
 * Changes each of these credits, with its balance and its entry in the ledger; `moves` has a credit once at
 * most. However many there are, the statements are few: one payout may draw on a thousand small credits, and
 * others wait for the locks meanwhile.
 */
export async function moveCredits(trx: Transaction, moves: readonly CreditMove[], now: number): Promise<void> {
  for (const part of writtenTogether(moves)) {
    updateCredits(trx, part)
    const postings = part.map(({ credit, posting }) => ({ ...posting, ...keyOf(credit) }))
    post(trx, postings, now)
  }
  for (const same of groupBy(moves, ({ credit }) => JSON.stringify(keyOf(credit))).values()) {
    const sumOf = (side: 'available' | 'reserved') => sum(same.map(({ by }) => by[side] ?? 0n))
    await moveBalance(trx, keyOf(same[0]!.credit), {
      available: sumOf('available'),
      reserved: sumOf('reserved'),
    })
  }
}

/** The key of the balance that a credit is part of. */
function keyOf(credit: Pick<CreditRow, 'user' | 'chain_id' | 'token'>) {
  return { user: credit.user, chainId: credit.chain_id, token: credit.token }
}

/** Writes the new values of each credit, all by one statement. */
function updateCredits(trx: Transaction, moves: readonly CreditMove[]): void {
  const next = moves.map(({ credit, by }) => {
    const available = BigInt(credit.available) + (by.available ?? 0n)
    const reserved = BigInt(credit.reserved) + (by.reserved ?? 0n)
    // Checked here as well as by `moveBalance`, whose sums could hide it.
    if (available < 0n || reserved < 0n) throw new Error(`The credit ${credit.id} would fall below zero`)
    const isOpen = available > 0n || reserved > 0n
    return { id: credit.id, available: available.toString(), reserved: reserved.toString(), is_open: Number(isOpen) }
  })
  const valueOf = (column: 'available' | 'reserved' | 'is_open') => {
    const cases = next.map(() => 'WHEN ? THEN ?').join(' ')
    return trx.raw(
      `CASE id ${cases} END`,
      next.flatMap((row) => [row.id, row[column]]),
    )
  }
  const ids = next.map(({ id }) => id)
  const columns = { available: valueOf('available'), reserved: valueOf('reserved'), is_open: valueOf('is_open') }
  trx.later(trx('credits').whereIn('id', ids).update(columns))
}
