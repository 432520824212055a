import { ServiceError } from '../../domain/errors.js'
import type { ActionsService } from '../../services/actions.js'
import type { Handlers } from '../handlers.js'
import { presentAction, presentIntent } from '../present.js'
import { lower, readAuthorization, readIntent } from '../readAction.js'
import { requireActionId } from './requireActionId.js'

export function createActionHandlers(
  actions: ActionsService,
): Pick<Handlers, 'createAction' | 'getAction' | 'getIntent'> {
  return {
    async createAction({ body, headers }) {
      const { user, chainAuthorizations, intents } = body
      if (chainAuthorizations === undefined && intents.some((intent) => intent.mode === '7702')) {
        throw new ServiceError('chain_authorizations_required', 'chainAuthorizations are required for 7702 intents')
      }
      const { actionId, intentIds, replayed } = await actions.create({
        user: lower(user),
        chainAuthorizations: chainAuthorizations?.map(readAuthorization) ?? null,
        intents: intents.map(readIntent),
        idempotencyKey: headers['idempotency-key'] ?? null,
      })
      return {
        status: 201,
        headers: replayed ? { 'Idempotency-Replayed': 'true' } : undefined,
        body: { actionId, intentIds },
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
