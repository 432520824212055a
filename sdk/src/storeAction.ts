import type { ActionRequest } from './amounts.js'
import { patiently } from './patiently.js'
import type { ActionCreated, CallOptions } from './wire.js'

export type CreateAction = (
  request: ActionRequest,
  options: CallOptions & { idempotencyKey: string },
) => Promise<ActionCreated>

/** What is signed already is worth some patience with a service that is away. */
const storeWithinMs = 60_000

/** Has the service store an action, and waits for one that is away; the key makes it one action. */
export function storeAction(
  calls: { createAction: CreateAction },
  request: ActionRequest,
  options: { idempotencyKey: string; signal: AbortSignal | undefined },
): Promise<ActionCreated> {
  const { signal } = options
  return patiently(() => calls.createAction(request, options), { withinMs: storeWithinMs, signal })
}
