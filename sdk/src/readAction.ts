import type { Action } from './amounts.js'
import { patiently } from './patiently.js'
import type { CallOptions } from './wire.js'

export type ReadCalls = { getAction: (actionId: string, options: CallOptions) => Promise<Action> }

/** What has been carried out is worth some patience with a service that is away when asked how it went. */
const lookWithinMs = 60_000

/** The action as it is now, from a service that may be away for a moment. */
export function readAction(
  calls: ReadCalls,
  actionId: string,
  { signal }: { signal?: AbortSignal | undefined },
): Promise<Action> {
  return patiently(() => calls.getAction(actionId, { signal }), { withinMs: lookWithinMs, signal })
}
