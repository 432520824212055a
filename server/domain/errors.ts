import type { Address } from 'viem'

/**
 * What a request body can break: keywords of its schema, then rules beyond it. The list equals the spec's `IssueCode`.
 */
export const issueCodes = [
  'json',
  'type',
  'required',
  'pattern',
  'format',
  'enum',
  'const',
  'discriminator',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'hash_mismatch',
  'signature_mismatch',
  'signature_malformed',
  'authorization_mismatch',
  'authorization_chain_invalid',
  'delegate_not_allowed',
  'chain_unsupported',
  'token_unsupported',
  'user_not_allowed',
  'expired',
  'window_empty',
  'transfer_from_mismatch',
  'mixed_batch',
  'contradictory_batch',
  'empty_batch',
  'amount_zero',
  'recipient_not_allowed',
  'duplicate_intent',
  'idempotency_key_reused',
] as const

export type IssueCode = (typeof issueCodes)[number]

/** One thing wrong with a request body. `path` is a JSON Pointer (RFC 6901) into it. */
export type Issue = { path: string; message: string; code: IssueCode }

/**
 * Why a request was refused. `api/replies/problem.ts` maps each to its HTTP status; the list
 * equals the spec's `ErrorCode`.
 */
export const serviceErrorCodes = [
  'validation_failed',
  'chain_authorizations_required',
  'duplicate_intent',
  'idempotency_key_reused',
  'not_found',
  'previous_step_incomplete',
  'mode_not_implemented',
  'hash_required',
  'hash_not_allowed',
  'transaction_already_used',
  'transaction_already_registered',
  'registration_signature_required',
  'registration_signature_mismatch',
  'insufficient_credit',
  'recipient_not_allowed',
  'missing_fields',
  'deposit_mismatch',
  'withdrawal_exceeds_balance',
  'chain_unsupported',
  'token_unsupported',
  'airdrop_unavailable',
  'airdrop_cooldown',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'unavailable',
  'draining',
  'internal_error',
] as const

export type ServiceErrorCode = (typeof serviceErrorCodes)[number]

/** How many issues one answer lists at most. */
export const maxIssues = 50

/** What an error body shows beside message and code, as the spec's `ErrorDetail` has it; never holds secrets. */
type ErrorDetails = {
  /** Each thing that is wrong with a body. */
  issues?: Issue[]
  /** With `rate_limited` and `airdrop_cooldown`: after how many seconds to ask again. */
  retryAfter?: number
  /** With `not_found` of a venue record: which expected value differs. */
  field?: 'actionType' | 'venue'
  /** With `insufficient_credit`: the token to be paid. `required` and `available` are amounts in its smallest unit. */
  token?: Address
  required?: string
  available?: string
}

/** A request that was understood and refused, or could not be served. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'

  constructor(
    readonly code: ServiceErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message)
  }
}

/** Why a step ended as `reverted` or `error`; the list equals the spec's `StepErrorCode`. */
export const stepErrorCodes = [
  'execution_reverted',
  'transfer_mismatch',
  'intent_expired',
  'intent_not_yet_valid',
  'authorization_missing',
  'authorization_invalid',
  'account_not_delegated',
  'batch_not_executed',
  'insufficient_credit',
  'recipient_not_allowed',
  'solver_liquidity',
  'solver_outflow_cap',
  'vault_paused',
  'already_fulfilled',
  'previous_step_failed',
  'transaction_not_found',
  'transaction_mismatch',
  'transaction_already_used',
  'transaction_taken_over',
  'gas_limit_exceeded',
  'transaction_cancelled',
] as const

export type StepErrorCode = (typeof stepErrorCodes)[number]

/** What a client reads of a failed step. */
export type StepError = { code: StepErrorCode; message: string; retryable: boolean }

/** A signer gave no signature in time, or one that is not its own. Nothing is lost: it is asked again later. */
export class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable'

  constructor(
    readonly signer: string,
    /** Without anything secret. */
    readonly reason: string,
  ) {
    super(`The signer ${signer} is unavailable: ${reason}`)
  }
}
