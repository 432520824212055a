import { ServiceError } from '../../domain/errors.js'
import { nameOf } from '../../domain/issueAt.js'
import type { LegacyService } from '../../services/legacy.js'
import type { Handlers } from '../handlerTypes.js'
import { lower } from '../requests/lower.js'
import { parseAuthorization, parseCall } from '../requests/parseIntent.js'
import { deprecated } from '../replies/deprecated.js'

/** Paths in the action that a transaction becomes, and where the same is in the body that the client has sent. */
const places: [ofAction: RegExp, ofBody: string][] = [
  [/^\/user(?=\/|$)/, '/address'],
  [/^\/chainAuthorizations(?=\/|$)/, '/authorization'],
  [/^\/intents\/0(?=\/|$)/, '/intentAuthorization'],
]

export function createLegacyHandlers(
  legacy: LegacyService,
): Pick<Handlers, 'submitTransaction' | 'getLegacyStepStatus'> {
  return {
    async submitTransaction({ body, traceparent, countFor }) {
      const { signature, signatureType = 'ecdsa', nbf = 0, exp = Number.MAX_SAFE_INTEGER } = body.intentAuthorization
      const transaction = {
        address: lower(body.address),
        chainAuthorizations: body.authorization.map((tuple) =>
          parseAuthorization({ ...tuple, chainId: Number(tuple.chainId) }),
        ),
        signature: lower(signature),
        signatureType,
        nbf,
        exp,
        chainBatches: body.intentAuthorization.chainBatches.map((batch) => ({
          chainId: Number(batch.chainId),
          tokenTransfers: [],
          calls: batch.calls.map(parseCall),
          hash: lower(batch.hash),
        })),
      }
      const submitted = await legacy.submit(transaction, { traceparent, countFor }).catch((error: unknown) => {
        throw inPlacesOfBody(error)
      })
      return {
        status: 200,
        body: {
          success: true,
          data: { intentId: submitted.intentId, actionId: submitted.actionId },
          error: null,
        },
      }
    },

    async getLegacyStepStatus({ path }) {
      const step = await legacy.step(path.intentId, path.stepId)
      const successor = `/actions/${step.actionId}/intents/${step.intentIndex}/steps/${step.stepIndex}`
      return {
        status: 200,
        headers: deprecated(successor),
        body: {
          success: true,
          data: { status: step.status, transactionHash: step.transactionHash, error: step.error },
          error: null,
        },
      }
    },
  }
}

/** The error with its issues at the paths of the client's own body, in place of the action's. */
function inPlacesOfBody(error: unknown): unknown {
  if (!(error instanceof ServiceError) || !error.details.issues) return error
  const given = error.details.issues
  const issues = given.map((issue) => {
    const path = places.reduce((place, [ofAction, ofBody]) => place.replace(ofAction, ofBody), issue.path)
    const [before, after] = [nameOf(issue.path), nameOf(path)]
    const isNamed = issue.message.startsWith(`${before} `)
    return { ...issue, path, message: isNamed ? after + issue.message.slice(before.length) : issue.message }
  })
  // The message of a single issue is the error's as well.
  const message = given[0]?.message === error.message ? issues[0]!.message : error.message
  return new ServiceError(error.code, message, { ...error.details, issues })
}
