import type { DatabaseKind } from './databases.js'

/** Rounds of several contenders by turns, so that whatever else the machine does meets all of them alike. */

export type Contender = {
  name: string
  /** One round; the figure that is compared. */
  round: () => Promise<number>
}

export type Spread = { median: number; min: number; max: number }

export type Result = {
  benchmark: string
  database: DatabaseKind
  unit: string
  name: string
  figures: Spread
  /** Ours divided by this one, round by round. Null for ours itself. */
  ratio: Spread | null
  /** What the ratio, or without one the figure, has to keep. Null: told for orientation. */
  target: Target | null
}

export type Target = { atLeast: number } | { atMost: number }

/** The first contender is ours; each other one is told with ours as a ratio to it. */
export async function compare(options: {
  benchmark: string
  database: DatabaseKind
  unit: string
  rounds: number
  ours: Contender
  others: (Contender & { target: Target | null })[]
}): Promise<Result[]> {
  const { ours, others, rounds, ...label } = options
  const contenders = [ours, ...others]
  console.error(`${options.benchmark} ${options.database}: ${rounds} rounds`)
  const figures = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    // There and back again, so that nobody is always right after the same neighbour.
    const order = [...contenders.keys()]
    if (round % 2 === 1) order.reverse()
    for (const index of order) figures[index]!.push(await contenders[index]!.round())
  }
  return contenders.map((contender, index) => ({
    ...label,
    name: contender.name,
    figures: spread(figures[index]!),
    ratio: index === 0 ? null : spread(figures[0]!.map((figure, round) => figure / figures[index]![round]!)),
    target: index === 0 ? null : others[index - 1]!.target,
  }))
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return {
    median: (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2,
    min: sorted[0]!,
    max: sorted.at(-1)!,
  }
}
