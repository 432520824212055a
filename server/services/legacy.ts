import { type Address, type Hex } from 'viem'
import { keccak256 } from '../../sdk/src/keccak256.js'
import type { ChainAuthorization, SignatureType, StepRef } from '../domain/action.js'
import { ServiceError } from '../domain/errors.js'
import type { StepView } from '../domain/views.js'
import type { Store } from '../store/store.js'
import type { ActionsService, CreateRequest } from './actions.js'
import type { UnverifiedIntent } from './checkAction.js'
import type { StepsService } from './steps.js'

type LegacyTransaction = {
  address: Address
  chainAuthorizations: ChainAuthorization[]
  signature: Hex
  signatureType: SignatureType
  nbf: number
  exp: number
  chainBatches: UnverifiedIntent['chainBatches']
}

export type LegacyService = ReturnType<typeof createLegacy>

/** The interface that there was before actions, carried out by actions. */
export function createLegacy(deps: { store: Store; actions: ActionsService; steps: StepsService }) {
  return {
    /** Makes an action of one intent and asks for all its steps. */
    async submit(
      transaction: LegacyTransaction,
      { traceparent, countFor }: { traceparent: string; countFor: CreateRequest['countFor'] },
    ): Promise<{ actionId: string; intentId: string }> {
      const { address, chainAuthorizations, ...intent } = transaction
      const { actionId } = await deps.actions.create({
        user: address,
        chainAuthorizations,
        intents: [{ mode: '7702', ...intent }],
        idempotencyKey: null,
        countFor,
      })
      const stepIndices = [...intent.chainBatches.keys()]
      await askForAll(
        stepIndices.map((stepIndex) => ({ actionId, intentIndex: 0, stepIndex })),
        traceparent,
      )
      return { actionId, intentId: `${actionId}-0` }
    },

    /** `id`: the intent's id as either interface gives it out, the id of its action, or the intent's signature. */
    async step(id: string, stepIndex: number): Promise<StepView> {
      const intent = await findIntent(id)
      const step = intent && (await deps.store.readStep({ ...intent, stepIndex }))
      if (!step) throw new ServiceError('not_found', 'Intent or step not found')
      return step
    },
  }

  /**
   * At once, so that they share a transaction. What that leaves out, as a step whose predecessor was not accepted yet,
   * is asked for again in their order.
   */
  async function askForAll(refs: readonly StepRef[], traceparent: string): Promise<void> {
    const asked = await Promise.allSettled(refs.map((ref) => askFor(ref, traceparent)))
    for (const ref of refs.filter((_ref, index) => asked[index]!.status === 'rejected')) await askFor(ref, traceparent)
  }

  /**
   * A step whose predecessor has failed by now is accepted too, and ends as failed: nobody is to wait for it in vain.
   */
  async function askFor(ref: StepRef, traceparent: string): Promise<void> {
    const given = { action: 'execute', hash: null, signature: null, behindFailed: true } as const
    await deps.steps.request(ref, { ...given, traceparent, countFor: null }, 0, AbortSignal.abort())
  }

  async function findIntent(id: string): Promise<{ actionId: string; intentIndex: number } | null> {
    if (/^0x[0-9a-f]{130}$/i.test(id)) return deps.store.findIntentBySignature(keccak256(id.toLowerCase() as Hex))
    const [, actionId, index] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[-/](\d{1,2}))?$/i.exec(id) ?? []
    return actionId ? { actionId: actionId.toLowerCase(), intentIndex: Number(index ?? 0) } : null
  }
}
