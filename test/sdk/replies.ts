import type { Step, Wire } from '../../sdk/src/wire.js'

/** Replies of a scripted service about one action. */

export const actionId = '0193a1c0-7b1e-7f3a-8c52-1d2e3f405162'
export const user = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc'
export const ref = { actionId, intentIndex: 0, stepIndex: 0 }
export const created = { actionId, intentIds: [`${actionId}/0`] }
const at = '2026-11-20T12:00:00.000Z'

export function aStep(change: Partial<Step> = {}): Step {
  return {
    ...ref,
    mode: '7702',
    chainId: 31337,
    status: 'success',
    txid: null,
    transactionHash: null,
    blockNumber: null,
    confirmations: 0,
    requiredConfirmations: 1,
    attempts: 1,
    error: null,
    createdAt: at,
    updatedAt: at,
    ...change,
  }
}

export function anAction(steps: Step[], status: Step['status'] = 'created'): Wire.Action {
  const times = { createdAt: at, updatedAt: at }
  const intent = {
    intentId: `${actionId}/0`,
    actionId,
    intentIndex: 0,
    mode: '7702' as const,
    status,
    chainBatches: [],
    steps,
    ...times,
  }
  return { actionId, user, status, intents: [intent], ...times }
}

/** Changes of steps as the service writes them to an event stream. */
export function events(first: number, ...steps: Step[]): string {
  const lines = steps.map((step, index) => `id: ${first + index}\nevent: step\ndata: ${JSON.stringify(step)}\n\n`)
  return `: connected\n\n${lines.join(': still here\n\n')}`
}
