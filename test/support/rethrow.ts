/** For what hands its failures over: a test that meets one fails. */
export function rethrow(error: unknown): never {
  throw error
}
