import type { Handler, Handlers } from '../../server/api/handlerTypes.js'
import type { Step } from '../../server/api/generated/types.gen.js'

/**
 * No test runs this: `npm run typecheck` fails when one of these errors is missing, that is, when the types of the
 * handlers let something through that the spec does not have.
 */
declare const step: Step
declare const all: Handlers
const { getStep: _left, ...rest } = all

// @ts-expect-error An operation is missing.
export const incomplete: Handlers = rest

export const good: Handler<'getStep'> = async ({ path }) => ({
  status: 200,
  body: { ...step, stepIndex: path.stepIndex },
})

// @ts-expect-error The spec has no such status for the operation.
export const wrongStatus: Handler<'getStep'> = async () => ({ status: 201, body: step })

// @ts-expect-error The body is that of another status.
export const otherBody: Handler<'getHealth'> = async () => ({ status: 200, body: step })

// @ts-expect-error A field of the body is missing.
export const shortBody: Handler<'createAction'> = async () => ({ status: 201, body: { actionId: '' } })

// @ts-expect-error The spec has no such word.
export const wrongWord: Handler<'getStep'> = async () => ({ status: 200, body: { ...step, status: 'done' } })

// @ts-expect-error A number where the wire has digits.
export const number: Handler<'requestAirdrop'> = async () => ({
  status: 200,
  body: { success: true, data: { txHash: null, amount: 1 }, error: null },
})

// @ts-expect-error The operation has no such parameter.
export const noSuchParameter: Handler<'getStep'> = async ({ query }) => ({ status: 200, body: query.verbose })
