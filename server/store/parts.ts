import { groupBy } from '../domain/groupBy.js'

/** How many rows one statement writes: SQLite keeps the statement of each length prepared, and takes 500 rows. */
const rowsTogether = 50

/** What is written by one statement each, in order. */
export function partsOf<T>(items: readonly T[]): T[][] {
  return [...groupBy(items.entries(), ([index]) => Math.floor(index / rowsTogether)).values()].map((part) =>
    part.map(([, item]) => item),
  )
}
