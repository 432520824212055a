import { chunk } from '../lists/chunk.js'

/** How many rows one statement writes: SQLite keeps the statement of each length prepared, and takes 500 rows. */
const rowsTogether = 50

/** What is written by one statement each, in order. */
export function writtenTogether<T>(items: readonly T[]): T[][] {
  return chunk(items, rowsTogether)
}
