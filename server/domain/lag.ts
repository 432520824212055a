/** A node lags when its head is so many blocks behind and so many seconds old: five blocks may come in one second. */
const lagBlocks = 5n
const lagSeconds = 3

type Head = { number: bigint; timestamp: bigint }

/**
 * How many blocks each node is behind the newest of them: 0 where that is no lag yet, and where it did not answer.
 * `now` is in Unix milliseconds.
 */
export function lags(heads: readonly (Head | null)[], now: number): number[] {
  const newest = heads.reduce((best, head) => (head && (!best || head.number > best.number) ? head : best), null)
  return heads.map((head) => {
    if (!head || !newest || newest.number - head.number < lagBlocks) return 0
    // The chain's clock may be ahead of ours.
    const seconds = Math.max(now / 1000, Number(newest.timestamp)) - Number(head.timestamp)
    return seconds < lagSeconds ? 0 : Number(newest.number - head.number)
  })
}
