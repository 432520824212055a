import { matchLogs } from '../../server/domain/knownLogs.js'
import { groupBy } from '../../server/lists/groupBy.js'
import { logOfArrival } from '../../server/store/money/causes.js'
import type { Movement } from './vaultLogs.js'

/**
 * What is booked of each arrival of a token, and by which causes. Those of one transaction
 * are compared with each other however the node that told them when they were booked has numbered them.
 */
export function bookedArrivals(
  arrivals: readonly Movement[],
  booked: ReadonlyMap<string, bigint>,
): { amounts: Map<Movement, bigint>; causes: Set<string> } {
  const entries = [...booked].map(([cause, amount]) => ({ cause, ...logOfArrival(cause), amount }))
  const byHash = groupBy(entries, ({ hash }) => hash)
  const amounts = new Map<Movement, bigint>()
  const causes = new Set<string>()
  for (const [hash, told] of groupBy(arrivals, (arrival): string => arrival.hash)) {
    const { token } = told[0]!
    const known = (byHash.get(hash) ?? []).map((entry) => ({ ...entry, token }))
    for (const pair of matchLogs(told, known).pairs) {
      amounts.set(pair.told, pair.known.amount)
      causes.add(pair.known.cause)
    }
  }
  return { amounts, causes }
}
