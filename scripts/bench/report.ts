import type { Result, Spread, Target } from './compare.js'

/** Whether a result meets its target, by the median. */
export function isMet({ figures, ratio, target }: Result): boolean {
  if (!target) return true
  const { median } = ratio ?? figures
  return 'atLeast' in target ? median >= target.atLeast : median <= target.atMost
}

/** The results as a table for people; each ratio is ours divided by that line's. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) => [
    `${result.benchmark} / ${result.database}`,
    result.name,
    `${show(result.figures)} ${result.unit}`,
    result.ratio ? `× ${show(result.ratio)}` : '',
    result.target ? `${showTarget(result.target)} ${isMet(result) ? 'met' : 'MISSED'}` : '',
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

function showTarget(target: Target): string {
  return 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`
}

function digits(value: number): string {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3)
}
