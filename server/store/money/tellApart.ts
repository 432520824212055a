import type { Address, Hash } from 'viem'
import { matchLogs, numberApart, type TokenLog } from '../../domain/knownLogs.js'
import type { Transaction } from '../connection/database.js'

/**
 * Parts the logs that nodes tell of a transaction, of some kind and for one user (`told`), into those that are stored
 * already (`known`) and those that are not. Each unknown log gets a log index that is free. `taken`: all log indexes
 * that are stored of the transaction, of all users. Logs are matched by amounts where nodes number them differently.
 */
export function tellApart<Told extends TokenLog, Known extends TokenLog>(
  trx: Transaction,
  place: { chainId: number; hash: Hash; user: Address },
  { told, known, taken }: { told: readonly Told[]; known: readonly Known[]; taken: Iterable<number> },
): { known: Known[]; unknown: Told[] } {
  const { pairs, unknown } = matchLogs(told, known)
  const apart = numberApart(unknown, taken)
  const isOdd =
    pairs.some((pair) => pair.told.logIndex !== pair.known.logIndex) ||
    apart.some(({ logIndex }, index) => logIndex !== unknown[index]!.logIndex)
  if (isOdd) {
    const [toldBy, knownBy] = [told, known].map((logs) => logs.slice(0, mostShown).map(({ logIndex }) => logIndex))
    trx.notice({ ...place, told: toldBy, known: knownBy }, otherNumbers)
  }
  return { known: pairs.map((pair) => pair.known), unknown: apart }
}

/** A transaction may hold thousands of logs. */
const mostShown = 20

const otherNumbers =
  'the chain’s nodes number the logs of a transaction differently; they are told apart by their amounts, and none is booked twice'
