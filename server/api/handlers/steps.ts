import type { StepRef } from '../../domain/action.js'
import { hasEnded } from '../../domain/status.js'
import type { ActionsService } from '../../services/actions.js'
import type { StepsService } from '../../services/steps.js'
import type { Handlers } from '../handlerTypes.js'
import { presentStep } from '../present.js'
import { lower } from '../requests/lower.js'
import { preferredWait } from './preferredWait.js'
import { requireActionId } from './requireActionId.js'

export function createStepHandlers(services: {
  actions: ActionsService
  steps: StepsService
}): Pick<Handlers, 'getStep' | 'executeStep'> {
  return {
    async getStep({ path }) {
      return { status: 200, body: presentStep(await services.actions.step(refOf(path))) }
    },

    async executeStep({ path, headers, body, traceparent, countFor, signal }) {
      const { waitMs, applied } = preferredWait(headers.prefer)
      const step = await services.steps.request(
        refOf(path),
        {
          action: body?.action ?? 'execute',
          hash: body?.hash === undefined ? null : lower(body.hash),
          signature: body?.signature === undefined ? null : lower(body.signature),
          behindFailed: false,
          traceparent,
          countFor,
        },
        waitMs,
        signal,
      )
      return {
        status: hasEnded(step.status) ? 200 : 202,
        headers: applied,
        body: presentStep(step),
      }
    },
  }
}

function refOf(path: { actionId: string; intentIndex: number; stepIndex: number }): StepRef {
  return {
    actionId: requireActionId(path.actionId),
    intentIndex: path.intentIndex,
    stepIndex: path.stepIndex,
  }
}
