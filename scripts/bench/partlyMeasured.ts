import type { Result } from './compare.js'

/** Thrown by a benchmark that could not measure all it should have, with what it has measured. */
export class PartlyMeasured extends Error {
  override readonly name = 'PartlyMeasured'

  constructor(
    readonly results: Result[],
    /** What was not measured, and why. */
    missing: readonly string[],
  ) {
    super(missing.join('; '))
  }
}
