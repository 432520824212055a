import { setFlagsFromString } from 'node:v8'

/** How much the heap may grow before the next collection, in percent of what was in use after the last one. */
const growth = 60

/**
 * Has V8 collect garbage once the heap has grown by `growth`. On a machine with much memory V8 would let it grow to
 * several times what is in use: to 400 MB instead of 250 under a mixed load. The flag is set here and not by npm's
 * script, by which not everybody starts the service. V8 reads it at each collection, so that it counts from now on.
 */
export function boundGarbage(): void {
  setFlagsFromString(`--heap-growing-percent=${growth}`)
}
