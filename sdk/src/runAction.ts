import type { Hash, Hex } from 'viem'
import type { Action, ActionRequest } from './amounts.js'
import { untilAborted } from './abortable.js'
import { createAsking } from './askForStep.js'
import { checkTimes } from './checkTimes.js'
import { IntentTimeoutError, naming, StepFailedError, UnregisteredPaymentError } from './errors.js'
import { limitedSignal } from './limitedSignal.js'
import type { PreparedAction } from './prepareAction.js'
import { sleep } from './sleep.js'
import type { WaitOptions } from './waitForStep.js'
import { hasEnded, longestPauseMs, patiently } from './watchAction.js'
import type { CallOptions, Step, StepRef } from './wire.js'

/** What happens on the way, told apart by `type`. */
export type Progress =
  /** What `send` is about to sign. */
  | { type: 'prepared'; prepared: PreparedAction }
  /** `createAction` with this body and key makes it the same action, should the answer get lost. */
  | { type: 'signed'; request: ActionRequest; idempotencyKey: string }
  /** The service has stored the action: what says the same under this key is the same. */
  | { type: 'created'; actionId: string; intentIds: string[]; idempotencyKey: string }
  /**
   * The user's own transaction for a step of `sendOnDemand`, which a local account has signed and which is sent next. However
   * often `raw` is sent (`eth_sendRawTransaction`), it pays once.
   */
  | { type: 'paying'; step: StepRef; hash: Hash; raw: Hex }
  /** The user's own transaction for a step of `sendOnDemand`. `executeStep` takes it, should that get lost. */
  | { type: 'paid'; step: StepRef; hash: Hash }
  /** A step as first seen, and each change of its status, transaction, confirmations or attempts. */
  | { type: 'step'; step: Step }

export type RunOptions = {
  /**
   * Ends the run, which then rejects with the signal's reason. Steps that were asked for go on. While `sendOnDemand` has a
   * wallet pay, it is heard once that has answered: what is paid by then must not get lost.
   */
  signal?: AbortSignal | undefined
  /**
   * How long each step may take at most, in milliseconds above 0; another value is an `IntentError` before anything is
   * signed or paid. 10 minutes by default.
   */
  stepTimeoutMs?: number | undefined
  /** Looks at a step this often, in milliseconds (20 at least), instead of listening to the service's event stream. */
  pollIntervalMs?: number | undefined
  /**
   * Told of all that happens on the way, and waited for: what it throws or rejects with ends the run, so that what is to be
   * kept is kept before the next thing happens.
   */
  onProgress?: ((progress: Progress) => unknown) | undefined
}

/** Tells who listens, and waits for him, unless the signal aborts. */
export function tell({ onProgress, signal }: RunOptions, progress: Progress): Promise<unknown> {
  return untilAborted(onProgress?.(progress), signal)
}

export type RunCalls = {
  getAction: (actionId: string, options: CallOptions) => Promise<Action>
  getStep: (step: StepRef, options: CallOptions) => Promise<Step>
  waitForStep: (step: StepRef, options: WaitOptions) => Promise<Step>
  executeStep: (step: StepRef, options: CallOptions & Ask & { waitSeconds: number }) => Promise<Step>
}

/** What the request for a step that the user pays names. */
export type Ask = { hash?: Hash; signature?: Hex }

const defaultStepTimeoutMs = 600_000
/** What has been carried out is worth some patience with a service that is away when asked how it went. */
const lookWithinMs = 60_000

/**
 * Carries out what is left of an action: asks for each step after the one before it has succeeded, and resolves with
 * the finished action. May be called again for the same action; nothing is done twice.
 */
export function runAction(calls: RunCalls, actionId: string, options: RunOptions = {}): Promise<Action> {
  return naming({ actionId }, async () => {
    checkTimes(options)
    const action = await readAction(calls, actionId, options)
    for (const step of action.intents.flatMap((intent) => intent.steps)) {
      if (step.status === 'success') continue
      const follow = await beginStep(calls, step, options)
      const ended = await follow()
      if (ended.status !== 'success') throw new StepFailedError(ended)
    }
    return readAction(calls, actionId, options)
  })
}

/** The action as it is now, from a service that may be away for a moment. */
export function readAction(
  calls: Pick<RunCalls, 'getAction'>,
  actionId: string,
  { signal }: Pick<RunOptions, 'signal'>,
): Promise<Action> {
  return patiently(() => calls.getAction(actionId, { signal }), { withinMs: lookWithinMs, signal })
}

/** Asks for a step, unless it is under way; resolves once the service has taken that, with what follows it to its end. */
export async function beginStep(
  calls: RunCalls,
  planned: Step,
  options: RunOptions,
  ask: Ask = {},
): Promise<() => Promise<Step>> {
  const { signal, stepTimeoutMs = defaultStepTimeoutMs, pollIntervalMs } = options
  const deadline = performance.now() + stepTimeoutMs
  const leftMs = () => Math.max(0, Math.ceil(deadline - performance.now()))
  const onChange = (step: Step) => tell(options, { type: 'step', step })
  // A step that is under way needs no second request.
  const asked = planned.status === 'executing' ? planned : await askFor(calls, planned, ask, stepTimeoutMs, signal)
  return async () => {
    await onChange(asked)
    if (hasEnded(asked)) return asked
    const timeoutMs = leftMs()
    const step = await calls.waitForStep(planned, { signal, timeoutMs, pollIntervalMs, onChange, known: asked })
    if (hasEnded(step)) return step
    // The service has lost it, as by a failover of its database. After a while, since it may get lost again.
    const follow = await sleep(longestPauseMs, signal)
      .then(() => beginStep(calls, step, { ...options, stepTimeoutMs: leftMs() }, ask))
      .catch((cause: unknown) => {
        throw ask.hash ? new UnregisteredPaymentError({ step, hash: ask.hash, cause }) : cause
      })
    return follow()
  }
}

/** Has the service take the request for a step, however often it is away. */
async function askFor(
  calls: RunCalls,
  planned: Step,
  ask: Ask,
  timeoutMs: number,
  outer: AbortSignal | undefined,
): Promise<Step> {
  const limited = limitedSignal(timeoutMs, outer)
  const { signal } = limited
  const request = () => calls.executeStep(planned, { ...ask, signal, waitSeconds: 0 })
  const asking = createAsking(planned, { ask: request, look: () => calls.getStep(planned, { signal }) })
  try {
    // A payment is registered once however often it is named.
    return await patiently(ask.hash ? request : asking, { withinMs: timeoutMs, signal })
  } catch (error) {
    return limited.fail(error, () => new IntentTimeoutError(`The step was not taken within ${timeoutMs} ms.`))
  } finally {
    limited.close()
  }
}
