import { askedAt, IntentApiError, IntentConnectionError } from './errors.js'
import { isAt } from './stepState.js'
import { retryAfterMs } from './transport.js'
import type { Step, StepRef } from './wire.js'

/** Tells what the service has answered from what it has not. */

/** The JSON of an answer. Undefined where a refusal has none; any other answer without is none of the service's. */
export async function readJson(response: Response, operation: string): Promise<unknown> {
  return response.json().catch((reason: unknown) => {
    if (response.ok) throw new IntentConnectionError(`The answer to ${operation} is not JSON; ${askedAt}`, reason)
  })
}

/** Whether it has a member: with `[]` a list, with a dot a member of a member. */
export function has(data: unknown, member: string): boolean {
  const [path, list] = member.split('[')
  const found = path!
    .split('.')
    .reduce<unknown>((node, name) => (node as Record<string, unknown> | null | undefined)?.[name], data)
  return list === undefined ? found !== undefined : Array.isArray(found)
}

export function refusal(operation: string, response: Response, body: unknown): IntentApiError {
  const { status, headers } = response
  return new IntentApiError({
    operation,
    status,
    body,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterMs(headers),
  })
}

/** A step as the service gives it, of this place; what else has a status is none. */
export function ofPlace(step: Step, place: StepRef): Step {
  // The service takes an id in any letter case, and gives it in its own.
  const isNamed = String(step.actionId).toLowerCase() === place.actionId.toLowerCase()
  if (isNamed && isAt(place, step) && /^(created|executing|success|reverted|error)$/.test(step.status)) return step
  throw new IntentConnectionError(`The answer is no step of the action; ${askedAt}`)
}
