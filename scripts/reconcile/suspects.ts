import type { BookedPayout } from '../../server/store/reconciliation.js'

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

/**
 * Payouts of one token that stand on one side only. An entry does not name its log, so that equal amounts are taken for
 * the same payout: of several equal ones another than the real culprit may be named.
 */
export function unmatchedPayouts(
  paid: readonly { hash: string; amount: bigint }[],
  booked: readonly BookedPayout[],
): Suspect[] {
  const open = new Map<bigint, BookedPayout[]>()
  for (const payout of booked) open.set(payout.amount, [...(open.get(payout.amount) ?? []), payout])
  const unbooked = paid.filter(({ amount }) => open.get(amount)?.pop() === undefined)
  return [
    ...unbooked.map(({ hash, amount }) => ({ kind: 'unbooked' as const, hash, onChain: amount })),
    ...[...open.values()].flat().map(({ cause, amount }) => ({ kind: 'unpaid' as const, cause, booked: amount })),
  ]
}
