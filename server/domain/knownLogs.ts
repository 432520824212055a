import type { Address } from 'viem'
import { groupBy } from './groupBy.js'

/** A movement of a token as a log tells of it. */
export type TokenLog = {
  /** By the node that tells it. Logs are counted through their block, but by some nodes and methods from 0 in each transaction. */
  logIndex: number
  token: Address
  /** In the token's smallest unit. Null: of several together the sum alone is known. */
  amount: bigint | null
}

/** By what a log is taken for one that is known, the surest first: its number neither makes two the same nor keeps them apart. */
const likenesses: readonly ((log: TokenLog) => string)[] = [
  ({ token, logIndex, amount }) => `${token} ${logIndex} ${amount}`,
  ({ token, amount }) => `${token} ${amount}`,
  // It was measured otherwise than now.
  ({ token, logIndex }) => `${token} ${logIndex}`,
  ({ token }) => token,
]

/**
 * Which logs are known, of all those that a transaction has of some kind. However nodes number them, of each token so many
 * are new as are told of beyond those that are known: none counts twice, and two of the same amount are two.
 */
export function matchLogs<Told extends TokenLog, Known extends TokenLog>(
  told: readonly Told[],
  known: readonly Known[],
): { pairs: { told: Told; known: Known }[]; unknown: Told[] } {
  const pairs: { told: Told; known: Known }[] = []
  let [unknown, left] = [[...told], [...known]]
  for (const likeness of likenesses) {
    const alike = groupBy(left, likeness)
    unknown = unknown.filter((log) => {
      const found = alike.get(likeness(log))?.shift()
      if (found) pairs.push({ told: log, known: found })
      return !found
    })
    left = [...alike.values()].flat()
  }
  return { pairs, unknown }
}

/** Each by a number that nothing is stored by: its own, or where another node's count has taken that, one above all others. */
export function numberApart<Log extends Pick<TokenLog, 'logIndex'>>(
  logs: readonly Log[],
  taken: Iterable<number>,
): Log[] {
  const used = new Set(taken)
  let highest = [...used, ...logs.map(({ logIndex }) => logIndex)].reduce((most, index) => Math.max(most, index), -1)
  return logs.map((log) => {
    const logIndex = used.has(log.logIndex) ? (highest += 1) : log.logIndex
    used.add(logIndex)
    return { ...log, logIndex }
  })
}
