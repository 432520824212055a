import type { Status } from './action.js'

/** A step that will not move again unless it is asked to. */
export function hasEnded(status: Status): boolean {
  return status === 'success' || status === 'reverted' || status === 'error'
}

/** An intent's word from its steps', an action's from its intents'; both in order. */
export function statusOf(parts: readonly Status[]): Status {
  if (parts.every((status) => status === 'success')) return 'success'
  const failed = parts.find((status) => status === 'reverted' || status === 'error')
  if (failed) return failed
  return parts.some((status) => status !== 'created') ? 'executing' : 'created'
}
