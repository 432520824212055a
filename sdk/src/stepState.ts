import type { Step, StepRef } from './wire.js'

/** Whether a step is over: `success`, `reverted` or `error`. */
export function hasEnded({ status }: Pick<Step, 'status'>): boolean {
  return status !== 'created' && status !== 'executing'
}

export function isAt({ intentIndex, stepIndex }: StepRef, step: Step): boolean {
  return step.intentIndex === intentIndex && step.stepIndex === stepIndex
}

/** What is told of as a change. */
export function stateOf({ status, transactionHash, confirmations, attempts }: Step): string {
  return [status, transactionHash, confirmations, attempts].join()
}
