export type ChosenPoint = {
  point: string
  /** Its position among all points, from 1. */
  number: number
  /** Whether every dry run passed it; one that only some orders of events pass may be missed. */
  always: boolean
}

const defaultSample = 16

/**
 * The points to kill at: `all`, or that many, evenly spread over the action, of those that every dry run passed. The
 * first dry run gives the order; what only a later one passed comes at the end.
 */
export function samplePoints(
  dryRuns: string[][],
  wanted = String(defaultSample),
): { total: number; chosen: ChosenPoint[] } {
  const all = [...new Set(dryRuns.flat())].map((point, index) => ({
    point,
    number: index + 1,
    always: dryRuns.every((run) => run.includes(point)),
  }))
  if (wanted === 'all') return { total: all.length, chosen: all }
  const count = Number(wanted)
  if (!Number.isInteger(count) || count < 1) throw new Error('CHAOS_POINTS must be "all" or a whole number from 1')
  const stable = all.filter((entry) => entry.always)
  if (count >= stable.length) return { total: all.length, chosen: stable }
  const step = count === 1 ? 0 : (stable.length - 1) / (count - 1)
  return { total: all.length, chosen: Array.from({ length: count }, (_, index) => stable[Math.round(index * step)]!) }
}
