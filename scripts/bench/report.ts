import type { Bound, Result, Spread } from './compare.js'

/** Whether a result keeps its bound, by the median. */
export function isKept({ figures, ratio, bound }: Result): boolean {
  if (!bound) return true
  const { median } = ratio ?? figures
  return 'atLeast' in bound ? median >= bound.atLeast : median <= bound.atMost
}

/** The results as a table for people; each ratio is ours divided by that line's. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) => [
    `${result.benchmark} / ${result.database}`,
    result.name,
    `${show(result.figures)} ${result.unit}`,
    result.ratio ? `× ${show(result.ratio)}` : '',
    result.bound ? `${showBound(result.bound)} ${isKept(result) ? 'kept' : 'NOT KEPT'}` : '',
  ])
  const widths = rows[0]!.map((_cell, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function show({ median, min, max }: Spread): string {
  return `${digits(median)} (${digits(min)}–${digits(max)})`
}

function showBound(bound: Bound): string {
  return 'atLeast' in bound ? `≥ ${bound.atLeast}` : `≤ ${bound.atMost}`
}

function digits(value: number): string {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3)
}
