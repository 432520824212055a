import type { StepRef } from '../../../server/domain/action.js'
import type { Store } from '../../../server/store/store.js'
import { aStepRequest } from '../../support/aStepRequest.js'
import { aNewAction, aSignedIntent, randomAddress, stepOf } from '../../support/builders.js'

/** The only step of a new action, stored and asked for. */
export async function acceptStep(store: Store, now = Date.now(), user = randomAddress()): Promise<StepRef> {
  const entry = aNewAction({ user, intents: [aSignedIntent()] })
  await store.insertAction(entry)
  const ref = stepOf(entry, 0, 0)
  const order = { action: 'execute', hash: null, signed: false } as const
  await store.requestStep(aStepRequest({ ref, order, needs: [] }), now)
  return ref
}
