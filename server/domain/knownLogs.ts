import type { Address } from 'viem'
import { groupBy } from '../lists/groupBy.js'

/** A movement of a token as a log tells of it. */
export type TokenLog = {
  /** As the node numbers logs: through their block, but some nodes and methods from 0 in each transaction. */
  logIndex: number
  token: Address
  /** In the token's smallest unit. Null: only the sum of several logs is known. */
  amount: bigint | null
}

/**
 * By what a log is taken for one that is known, the surest first. Equal numbers don't make two logs the same, nor do
 * different ones keep them apart.
 */
const likenesses: readonly ((log: TokenLog) => string)[] = [
  ({ token, logIndex, amount }) => `${token} ${logIndex} ${amount}`,
  ({ token, amount }) => `${token} ${amount}`,
  // The amount was measured in another way then.
  ({ token, logIndex }) => `${token} ${logIndex}`,
  ({ token }) => token,
]

/**
 * Which logs are known, of all that a node tells of one kind in a transaction. However nodes number logs, only as many
 * of a token are new as are told beyond the known ones: none counts twice, and two of the same amount are two.
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

/**
 * Gives each log a number that none is stored by: its own; or one above all, where a log
 * by another node's count has it.
 */
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
