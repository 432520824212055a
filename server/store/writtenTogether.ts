import { chunk } from '../lists/chunk.js'

/** How many rows one statement writes: SQLite keeps the statement of each length prepared, and takes 500 rows. */
const rowsTogether = 50

/** Items in parts, in order, each of which one statement writes. */
export function writtenTogether<T>(items: readonly T[]): T[][] {
  return chunk(items, rowsTogether)
}
