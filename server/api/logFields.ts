import type { ApiState, Subject } from './apiState.js'

/** The fields that every log line of a request has. */
export function logFields({ requestId, operationId, trace, parentSpanId, subject }: ApiState) {
  return {
    requestId,
    operationId,
    ...trace,
    // The caller's span; without one the trace has begun here.
    ...(parentSpanId !== null && { parentSpanId }),
    ...subject,
  }
}

/** In the place of an action's id a path may have anything, such as a signature, which must not be logged. */
const actionIdForm = /^[0-9a-f-]{36}$/i

/** What a request is about, by the parameters of its path, which are known to be valid. */
export function subjectOf(path: object): Subject {
  const { actionId, intentIndex, stepIndex, chainId } = path as Subject
  return {
    ...(actionId !== undefined && actionIdForm.test(actionId) && { actionId }),
    ...(intentIndex !== undefined && { intentIndex }),
    ...(stepIndex !== undefined && { stepIndex }),
    ...(chainId !== undefined && { chainId }),
  }
}

/** The id of the action that a request has made, by the body of its reply; null where that names none. */
export function madeAction(body: unknown): string | null {
  const bare = (body ?? {}) as { actionId?: unknown; data?: { actionId?: unknown } | null }
  const actionId = bare.actionId ?? bare.data?.actionId
  return typeof actionId === 'string' ? actionId : null
}
