import type { Order } from '../../server/domain/request.js'
import type { StepRequest } from '../../server/store/stepRequests.js'

/** Asks for a step to be executed, without a hash, a signature or a need of credit, and leaves it to no visit. */
export function aStepRequest({
  order,
  ...rest
}: Pick<StepRequest, 'ref'> & Partial<Omit<StepRequest, 'order'>> & { order: Partial<Order> }): StepRequest {
  return {
    needs: [],
    traceparent: null,
    leftTo: null,
    order: { action: 'execute', hash: null, signed: false, proofRequired: false, behindFailed: false, ...order },
    ...rest,
  }
}
