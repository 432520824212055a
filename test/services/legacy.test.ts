import { expect } from 'chai'
import type { StepRef } from '../../server/domain/action.js'
import type { ActionsService } from '../../server/services/actions.js'
import { createLegacy } from '../../server/services/legacy.js'
import type { StepsService } from '../../server/services/steps.js'
import type { Store } from '../../server/store/store.js'

describe('the steps of a legacy submission', () => {
  const actionId = '8e03978e-40d5-43dd-bc93-6894a57f9324'
  const batches = Array.from({ length: 16 }, () => ({}))
  const submission = { address: '0x', chainAuthorizations: [], chainBatches: batches } as never
  const actions = { create: async () => ({ actionId }) } as unknown as ActionsService

  /** Submits where each request for a step is met as `meet` says; answers the steps as they were asked for. */
  async function asked(meet: (stepIndex: number, before: readonly number[]) => Promise<void>): Promise<number[]> {
    const indices: number[] = []
    const request = async ({ stepIndex }: StepRef) => {
      indices.push(stepIndex)
      await meet(stepIndex, indices)
    }
    const steps = { request } as unknown as StepsService
    const legacy = createLegacy({ store: {} as Store, actions, steps })
    await legacy.submit(submission, { traceparent: '', countFor: async () => undefined })
    return indices
  }

  it('are asked for at once, and not one after the other', async () => {
    let underWay = 0
    let most = 0
    await asked(async () => {
      most = Math.max(most, ++underWay)
      await new Promise(setImmediate)
      underWay--
    })
    expect(most).to.equal(16)
  })

  it('are asked for again in their order where one was refused for the one before it', async () => {
    const accepted = new Set<number>()
    const indices = await asked(async (stepIndex, { length }) => {
      await new Promise(setImmediate)
      // As where each had come before the one before it was accepted.
      if (length <= 16 && stepIndex > 0) throw new Error('previous_step_incomplete')
      expect(stepIndex === 0 || accepted.has(stepIndex - 1), `step ${stepIndex}`).to.equal(true)
      accepted.add(stepIndex)
    })
    expect(accepted.size).to.equal(16)
    expect(indices.slice(16)).to.deep.equal(Array.from({ length: 15 }, (_, index) => index + 1))
  })

  it('are refused for what one of them is refused for the second time', async () => {
    const fault = new Error('the database is away')
    const refused = await asked(async (stepIndex) => {
      if (stepIndex === 3) throw fault
    }).catch((error: unknown) => error)
    expect(refused).to.equal(fault)
  })
})
