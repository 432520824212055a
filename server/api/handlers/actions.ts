import { ServiceError } from '../../domain/errors.js'
import { isUuid } from '../../domain/uuid.js'
import type { ActionsService } from '../../services/actions.js'
import type { Handlers } from '../handlerTypes.js'
import { presentAction, presentIntent } from '../present.js'
import { lower } from '../requests/lower.js'
import { parseAuthorization, parseIntent } from '../requests/parseIntent.js'
import { requireActionId } from './requireActionId.js'

export function createActionHandlers(
  actions: ActionsService,
): Pick<Handlers, 'createAction' | 'listActions' | 'getAction' | 'getIntent'> {
  return {
    async createAction({ body, headers, countFor }) {
      const { user, chainAuthorizations, intents } = body
      if (chainAuthorizations === undefined && intents.some((intent) => intent.mode === '7702')) {
        throw new ServiceError('chain_authorizations_required', 'chainAuthorizations are required for 7702 intents')
      }
      const { actionId, intentIds, replayed } = await actions.create({
        user: lower(user),
        chainAuthorizations: chainAuthorizations?.map(parseAuthorization) ?? null,
        intents: intents.map(parseIntent),
        idempotencyKey: headers['idempotency-key'] ?? null,
        countFor,
      })
      return {
        status: 201,
        headers: replayed ? { 'Idempotency-Replayed': 'true' } : undefined,
        body: { actionId, intentIds },
      }
    },

    async listActions({ query: { user, status, transactionHash, limit = 20, cursor } }) {
      const page = await actions.list({
        user: user === undefined ? null : lower(user),
        status: status ?? null,
        transactionHash: transactionHash === undefined ? null : lower(transactionHash),
        before: cursor === undefined ? null : readCursor(cursor),
        limit,
      })
      return {
        status: 200,
        body: { actions: page.actions.map(presentAction), nextCursor: page.next && writeCursor(page.next) },
      }
    },

    async getAction({ path }) {
      const action = await actions.action(requireActionId(path.actionId))
      return { status: 200, body: presentAction(action) }
    },

    async getIntent({ path }) {
      const intent = await actions.intent(requireActionId(path.actionId), path.intentIndex)
      return { status: 200, body: presentIntent(intent) }
    },
  }
}

/** A cursor is opaque to clients, so that what is in it may change. */
function writeCursor(actionId: string): string {
  return Buffer.from(actionId).toString('base64url')
}

function readCursor(cursor: string): string {
  const actionId = Buffer.from(cursor, 'base64url').toString()
  if (isUuid(actionId)) return actionId
  throw new ServiceError('validation_failed', 'cursor is not the nextCursor of a page')
}
