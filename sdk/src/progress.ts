import type { Hash, Hex } from 'viem'
import { untilAborted } from './abortable.js'
import type { ActionRequest } from './amounts.js'
import type { PreparedAction } from './prepareAction.js'
import type { RunOptions } from './runAction.js'
import type { Step, StepRef } from './wire.js'

/** What happens on the way, told apart by `type`. */
export type Progress =
  /** What `send` is about to sign. */
  | { type: 'prepared'; prepared: PreparedAction }
  /** `createAction` with this body and key makes it the same action, should the answer get lost. */
  | { type: 'signed'; request: ActionRequest; idempotencyKey: string }
  /** The service has stored the action: what says the same under this key is the same. */
  | { type: 'created'; actionId: string; intentIds: string[]; idempotencyKey: string }
  /**
   * The user's own transaction for a step of `sendOnDemand`, which a local account has signed and which is sent next.
   * However often `raw` is sent (`eth_sendRawTransaction`), it pays once.
   */
  | { type: 'paying'; step: StepRef; hash: Hash; raw: Hex }
  /** The user's own transaction for a step of `sendOnDemand`. `executeStep` takes it, should that get lost. */
  | { type: 'paid'; step: StepRef; hash: Hash }
  /** A step as first seen, and each change of its status, transaction, confirmations or attempts. */
  | { type: 'step'; step: Step }

/** Tells who listens, and waits for him, unless the signal aborts. */
export function tell(
  { onProgress, signal }: Pick<RunOptions, 'onProgress' | 'signal'>,
  progress: Progress,
): Promise<unknown> {
  return untilAborted(onProgress?.(progress), signal)
}
