import type { Address, Hash } from 'viem'
import type { ErrorCode, Issue, IssueCode, Step, StepError, StepRef } from './wire.js'

/**
 * What all errors of this package have in common. An aborted call is not one of them: it
 * rejects with the signal's reason.
 */
export class IntentError extends Error {
  override readonly name: string = 'IntentError'
  /**
   * Whether the same call may succeed later. With an `actionId` that call is `runAction`, or `sendOnDemand` under the
   * same key: `send`, or `sendOnDemand` under another one, makes another action, which is signed and paid anew.
   */
  readonly retryable: boolean
  /**
   * The action that had been stored when `send`, `sendOnDemand` or `runAction` failed: go
   * on with `runAction`. Null: none.
   */
  readonly actionId: string | null = null
  /**
   * The key under which `createAction` or `sendOnDemand` asked for an action, also one that it made itself: the same
   * request under it is the same action, so repeat it with that. Null: none was asked for.
   */
  readonly idempotencyKey: string | null = null

  constructor(message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause ? options : {})
    this.retryable = options.retryable ?? false
  }
}

/**
 * Whether it is an error of this package, also of another copy of it, as a bundle of the other module kind has one,
 * where `instanceof` says no. With a name, whether it is that one.
 */
export function isIntentError<Name extends keyof IntentErrors>(error: unknown, name: Name): error is IntentErrors[Name]
export function isIntentError(error: unknown): error is IntentError
export function isIntentError(error: unknown, name?: string): boolean {
  return seemsOurs(error) && (name === undefined ? errorNames.has(error.name) : error.name === name)
}

/** As `isIntentError`, where nothing but this package's own and the signal's reason is rejected with. */
export const seemsOurs = (error: unknown): error is IntentError =>
  typeof (Object(error) as Partial<IntentError>).retryable === 'boolean'

type IntentErrors = {
  IntentApiError: IntentApiError
  IntentConnectionError: IntentConnectionError
  IntentTimeoutError: IntentTimeoutError
  StepFailedError: StepFailedError
  UnregisteredPaymentError: UnregisteredPaymentError
  ChainMismatchError: ChainMismatchError
  CannotAuthorizeError: CannotAuthorizeError
}

const errorNames = new Set<string>([
  'IntentError',
  'IntentApiError',
  'IntentConnectionError',
  'IntentTimeoutError',
  'StepFailedError',
  'UnregisteredPaymentError',
  'ChainMismatchError',
  'CannotAuthorizeError',
] satisfies ('IntentError' | keyof IntentErrors)[])

/** Runs what concerns a stored action, or one that is asked for, and has the errors of this package name it. */
export async function naming<T>(
  names: { actionId?: string; idempotencyKey?: string },
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const named = error as Record<string, unknown>
    if (seemsOurs(error)) for (const [name, value] of Object.entries(names)) named[name] ??= value
    throw error
  }
}

/** What to ask where something else than the service seems to answer. */
export const askedAt = "is baseUrl the service's address?"

/** The service has answered, and refused or failed. */
export class IntentApiError extends IntentError {
  override readonly name = 'IntentApiError'
  /** The HTTP status. */
  declare readonly status: number
  /** What to branch on; `unknown` when the answer names none, as that of a proxy. */
  declare readonly code: ErrorCode | IssueCode | 'unknown'
  /** Each thing that is wrong with a request body, by its place in it. Empty when the service names none. */
  declare readonly issues: readonly Issue[]
  /** Names the request in the service's log. Null when the answer has none. */
  declare readonly requestId: string | null
  /** When to try again, in milliseconds from the answer. Null when the service does not say. */
  declare readonly retryAfterMs: number | null
  /** With `insufficient_credit`: what the first transfer that can't be paid needs, in the smallest unit of `token`. */
  declare readonly required: bigint | null
  /** With `insufficient_credit`: what the transfers before it leave of the user's credit, in the same unit. */
  declare readonly available: bigint | null
  /** With `insufficient_credit`: the token that transfer pays. */
  declare readonly token: Address | null

  constructor(answer: {
    status: number
    body: unknown
    requestId: string | null
    retryAfterMs: number | null
    /** Method and path, without values. */
    operation?: string
  }) {
    const detail = readBody(answer.body, answer.status)
    const asked = answer.operation ? ` to ${answer.operation}` : ''
    const text = detail.message ?? `The answer${asked} is ${answer.status} without a message; ${askedAt}`
    // One alone may be the message already.
    const untold = detail.issues.filter(({ message }) => !text.includes(message))
    const places = untold.map(({ path, message }) => (path ? `${path}: ${message}` : message))
    super(places.length > 0 ? `${text} ${places.join('; ')}` : text, {
      retryable: retryableStatuses.has(answer.status) || detail.code === 'airdrop_cooldown',
    })
    const { message: _message, ...rest } = detail
    Object.assign(this, rest, {
      status: answer.status,
      requestId: detail.requestId ?? answer.requestId,
      retryAfterMs: detail.retryAfterMs ?? answer.retryAfterMs,
    })
  }
}

/** No usable answer: the service could not be reached, hung up, or something else answered in its place. */
export class IntentConnectionError extends IntentError {
  override readonly name = 'IntentConnectionError'

  constructor(message: string, cause?: unknown) {
    super(message, { cause, retryable: true })
  }
}

/** No answer in time, or a step that has not ended in time. What was asked for may still happen. */
export class IntentTimeoutError extends IntentError {
  override readonly name = 'IntentTimeoutError'
  /** Of a wait for a step or an action: the step as last seen. Null otherwise. */
  declare readonly lastStep: Step | null

  constructor(message: string, { lastStep = null, cause }: { lastStep?: Step | null; cause?: unknown } = {}) {
    super(message, { cause, retryable: true })
    Object.assign(this, { lastStep })
  }
}

/**
 * A step has ended as `reverted` or `error`. The action is stored: `client.runAction` goes
 * on with it if it is retryable.
 */
export class StepFailedError extends IntentError {
  override readonly name = 'StepFailedError'
  /** With the reason as its `error`. */
  declare readonly step: Step & { error: StepError }
  declare readonly actionId: string

  constructor(step: Step) {
    const place = `Step ${step.stepIndex} of intent ${step.intentIndex} on chain ${step.chainId}`
    super(`${place} ended as ${step.status}: ${step.error?.message ?? 'no reason given'}`, {
      retryable: step.error?.retryable,
    })
    Object.assign(this, { step, actionId: step.actionId })
  }
}

/**
 * The user's transaction was sent, and the service has not accepted it for its step, or has lost that since and could
 * not be told again: the wallet refused to sign the registration, the service was away, or the call was aborted in
 * between; `cause` tells. Don't pay again: once it is there, give `hash` to `client.executeStep(step, { hash, signature
 * })`, then call `client.runAction(actionId)`, or `sendOnDemand` under the same key where the user has more to pay.
 * Where the step is refused for good (`transaction_already_registered`, `transaction_already_used`, `not_found`),
 * report the payment by `client.recordDeposit`: it is the user's credit then.
 */
export class UnregisteredPaymentError extends IntentError {
  override readonly name = 'UnregisteredPaymentError'
  declare readonly actionId: string
  declare readonly step: StepRef
  declare readonly hash: Hash

  constructor({ step, hash, cause }: { step: StepRef; hash: Hash; cause: unknown }) {
    const { actionId, intentIndex, stepIndex } = step
    const why = cause instanceof Error ? `: ${cause.message}` : '.'
    const paid = hash ? `The payment ${hash} was` : 'A payment may have been'
    super(
      `${paid} sent, but is not registered for step ${stepIndex} of intent ${intentIndex} of action ${actionId}${why}`,
      { cause },
    )
    Object.assign(this, { actionId, step: { actionId, intentIndex, stepIndex }, hash })
  }
}

/**
 * The service names another contract than the one you expect, or than it named before. Nothing was signed. If the
 * change is announced, call `getChains` and build the action anew; else do not use the service.
 */
export class ChainMismatchError extends IntentError {
  override readonly name = 'ChainMismatchError'
  /** `changed` since it was read or prepared, or `unexpected`: not what `expect` says. */
  declare readonly reason: 'changed' | 'unexpected'
  declare readonly chainId: number
  declare readonly part: 'delegate' | 'vault'
  /** Null when `expect` does not name the chain. */
  declare readonly expected: Address | null
  declare readonly actual: Address

  constructor(mismatch: Pick<ChainMismatchError, 'reason' | 'chainId' | 'part' | 'expected' | 'actual'>) {
    const { reason, chainId, part, expected, actual } = mismatch
    super(`The ${part} of chain ${chainId} is ${reason}: ${actual}, not ${expected ?? 'one that you name'}.`)
    Object.assign(this, mismatch)
  }
}

/** The account cannot sign the EIP-7702 authorizations that the action needs; wallets keep these to themselves. */
export class CannotAuthorizeError extends IntentError {
  override readonly name = 'CannotAuthorizeError'
  /** What would have to be signed: the delegate as `address`, for each chain. */
  declare readonly authorizations: readonly { chainId: number; address: Address; nonce: number }[]

  constructor(authorizations: CannotAuthorizeError['authorizations']) {
    const chains = authorizations.map(({ chainId }) => chainId).join(', ')
    super(
      `This account can't sign EIP-7702 authorizations, which chain ${chains} needs. Use sendOnDemand, a local account, ` +
        'a delegated one or chainAuthorizations.',
    )
    Object.assign(this, { authorizations })
  }
}

/** Too many at once, a fault, or away for now. */
export const retryableStatuses = new Set([408, 429, 500, 502, 503, 504])

type Detail = {
  message: string | null
  code: ErrorCode | IssueCode | 'unknown'
  issues: Issue[]
  requestId: string | null
  retryAfterMs: number | null
  required: bigint | null
  available: bigint | null
  token: Address | null
}

/** Both forms of error body: `{error: {message, code, …}}`, and `{error: string, issues?}` of `POST /actions`. */
function readBody(body: unknown, status: number): Detail {
  const { error, issues, requestId } = asRecord(body)
  const detail =
    typeof error === 'string' ? { message: error, issues, code: codeOf(error, issues, status) } : asRecord(error)
  return {
    message: textOf(detail.message) ?? textOf(asRecord(body).message),
    code: (textOf(detail.code) as ErrorCode | null) ?? 'unknown',
    issues: issuesOf(detail.issues),
    requestId: textOf(requestId),
    retryAfterMs: typeof detail.retryAfter === 'number' ? detail.retryAfter * 1000 : null,
    required: amountOf(detail.required),
    available: amountOf(detail.available),
    token: textOf(detail.token) as Address | null,
  }
}

/**
 * `POST /actions` names its codes in the issues only; what is wrong outside of its body has none. With another status a
 * text is no word of the service's, but of something before it.
 */
function codeOf(message: string, given: unknown, status: number): ErrorCode | IssueCode | 'unknown' {
  const issues = issuesOf(given)
  if (issues.length === 0) {
    if (message.startsWith('chainAuthorizations')) return 'chain_authorizations_required'
    return status === 400 ? 'validation_failed' : 'unknown'
  }
  const codes = new Set(issues.map((issue) => issue.code))
  return codes.size === 1 ? issues[0]!.code : 'validation_failed'
}

function issuesOf(value: unknown): Issue[] {
  return Array.isArray(value) ? value.filter((issue): issue is Issue => Object(issue) === issue) : []
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function amountOf(value: unknown): bigint | null {
  return /^[0-9]+$/.test(textOf(value) ?? '') ? BigInt(value as string) : null
}

function asRecord(value: unknown): Record<string, unknown> {
  return Object(value) as Record<string, unknown>
}
