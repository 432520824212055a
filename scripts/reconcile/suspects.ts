import { logOfArrival } from '../../server/store/money/causes.js'
import type { BookedPayout } from '../../server/store/money/reconciliation.js'

/** A movement that one side knows and the other does not, or not with this amount (in the token's smallest unit). */
export type Suspect =
  | { kind: 'arrival'; hash: string; onChain: bigint; booked: bigint }
  /** The vault has paid, and no entry says so. */
  | { kind: 'unbooked'; hash: string; onChain: bigint }
  /** An entry says that the vault has paid, and no log does. */
  | { kind: 'unpaid'; cause: string; booked: bigint }

/** Arrivals that are booked with less, or more, than their logs say. A token that takes a fee does that rightly. */
export function differingArrivals<A extends { hash: string; amount: bigint }>(
  arrivals: readonly A[],
  bookedOf: (arrival: A) => bigint | undefined,
): Suspect[] {
  return arrivals.flatMap((arrival) => {
    const booked = bookedOf(arrival)
    const { hash, amount: onChain } = arrival
    return booked === undefined || booked === onChain ? [] : [{ kind: 'arrival' as const, hash, onChain, booked }]
  })
}

/** Arrivals that are booked by their cause, and that the chain has no log of. */
export function arrivalsWithoutLog(booked: ReadonlyMap<string, bigint>, onChain: ReadonlySet<string>): Suspect[] {
  return [...booked]
    .filter(([cause]) => !onChain.has(cause))
    .map(([cause, amount]) => ({ kind: 'arrival', hash: logOfArrival(cause).hash, onChain: 0n, booked: amount }))
}

/**
 * Payouts of one token that stand on one side only. An entry is first compared with the transaction that the journal
 * names for it; where it names none that has paid as much, equal amounts are taken for the same payout, and of several
 * equal ones another than the real culprit may be named.
 */
export function unmatchedPayouts(
  paid: readonly { hash: string; amount: bigint }[],
  booked: readonly BookedPayout[],
): Suspect[] {
  const named = matchBy(paid, booked, ({ hash, amount }) => (hash === null ? null : `${hash}:${amount}`))
  const whole = matchSums(named)
  const { unbooked, unpaid } = matchBy(whole.unbooked, whole.unpaid, ({ amount }) => String(amount))
  return [
    ...unbooked.map(({ hash, amount }) => ({ kind: 'unbooked' as const, hash, onChain: amount })),
    ...unpaid.map(({ cause, amount }) => ({ kind: 'unpaid' as const, cause, booked: amount })),
  ]
}

/** Pairs what has the same key, each once, and gives what is left on both sides. What has none stays. */
function matchBy<P extends { hash: string; amount: bigint }>(
  paid: readonly P[],
  booked: readonly BookedPayout[],
  keyOf: (payout: { hash: string | null; amount: bigint }) => string | null,
): { unbooked: P[]; unpaid: BookedPayout[] } {
  const open = new Map<string | null, BookedPayout[]>()
  for (const payout of booked) {
    const key = keyOf(payout)
    const same = open.get(key)
    if (same) same.push(payout)
    else open.set(key, [payout])
  }
  const unbooked = paid.filter((payout) => open.get(keyOf(payout))?.pop() === undefined)
  return { unbooked, unpaid: [...open.values()].flat() }
}

/**
 * Takes out where entries are of all that a transaction has paid, as one is by an
 * operator's word, or one for each user.
 */
function matchSums<P extends { hash: string; amount: bigint }>({
  unbooked,
  unpaid,
}: {
  unbooked: readonly P[]
  unpaid: readonly BookedPayout[]
}): { unbooked: P[]; unpaid: BookedPayout[] } {
  const [paid, booked] = [sumByHash(unbooked), sumByHash(unpaid)]
  const isWhole = (hash: string | null) => hash !== null && paid.get(hash) === booked.get(hash)
  return {
    unbooked: unbooked.filter(({ hash }) => !isWhole(hash)),
    unpaid: unpaid.filter(({ hash }) => !isWhole(hash)),
  }
}

function sumByHash(payouts: readonly { hash: string | null; amount: bigint }[]): Map<string | null, bigint> {
  const sums = new Map<string | null, bigint>()
  for (const { hash, amount } of payouts) sums.set(hash, (sums.get(hash) ?? 0n) + amount)
  return sums
}
