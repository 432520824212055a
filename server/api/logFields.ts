import type { ApiState, Subject } from './apiState.js'

/** What every log line of a request is named by. */
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

/** What is no action's id may be anything, such as a signature. */
const actionIdForm = /^[0-9a-f-]{36}$/i

/** From the path, once it is known to be sound. */
export function subjectOf(path: object): Subject {
  const { actionId, intentIndex, stepIndex, chainId } = path as Subject
  return {
    ...(actionId !== undefined && actionIdForm.test(actionId) && { actionId }),
    ...(intentIndex !== undefined && { intentIndex }),
    ...(stepIndex !== undefined && { stepIndex }),
    ...(chainId !== undefined && { chainId }),
  }
}

/** The action that a request has made, which its answer tells; null where it tells none. */
export function madeAction(body: unknown): string | null {
  const bare = (body ?? {}) as { actionId?: unknown; data?: { actionId?: unknown } | null }
  const actionId = bare.actionId ?? bare.data?.actionId
  return typeof actionId === 'string' ? actionId : null
}
