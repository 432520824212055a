/** A safeguard that is switched off, and the tests that have to notice. */
export type Mutation = {
  name: string
  /** `find` has to occur exactly once in the file, so that a safeguard which has moved is not forgotten. */
  changes: { file: string; find: string; replace: string }[]
  /** Arguments of mocha. */
  tests: string[]
}
