/**
 * The longest that a row of a table is put off, in milliseconds: whoever postpones one is held to it. Steps: two
 * minutes, give or take a quarter, for one that waits for the one before it. Deposits: the report of a transaction that
 * nodes have and no block takes. Transactions: every look at one that no block mentions.
 */
export const longestPutOffMs = { steps: 150_000, deposits: 3_600_000, airdrops: 150_000, transactions: 5_000 } as const

/**
 * By how much more a row may be due later: two clocks never agree. What is due later
 * still was put off by a wrong clock.
 */
const marginMs = 150_000

/** A row that is due later than after so many milliseconds was put off by a clock that was ahead. */
export function farOffMs(table: keyof typeof longestPutOffMs): number {
  return longestPutOffMs[table] + marginMs
}
