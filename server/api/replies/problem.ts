import {
  type Issue,
  type IssueCode,
  issueCodes,
  type ServiceError,
  type ServiceErrorCode,
} from '../../domain/errors.js'
import { checksumAddress } from '../checksumAddress.js'
import type { ActionErrorBody, ErrorBody } from '../generated/types.gen.js'
import type { OperationId } from '../handlerTypes.js'

/** The one place that gives each refusal its HTTP status. */
const statusByCode: Record<ServiceErrorCode, number> = {
  validation_failed: 400,
  chain_authorizations_required: 400,
  duplicate_intent: 400,
  idempotency_key_reused: 400,
  not_found: 404,
  previous_step_incomplete: 400,
  mode_not_implemented: 400,
  hash_required: 400,
  hash_not_allowed: 400,
  transaction_already_used: 400,
  transaction_already_registered: 400,
  registration_signature_required: 400,
  registration_signature_mismatch: 400,
  insufficient_credit: 400,
  recipient_not_allowed: 400,
  missing_fields: 400,
  deposit_mismatch: 400,
  withdrawal_exceeds_balance: 400,
  chain_unsupported: 400,
  token_unsupported: 400,
  airdrop_unavailable: 400,
  airdrop_cooldown: 400,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
  draining: 503,
  internal_error: 500,
}

/** How long a client is told to wait when nothing better is known. */
export const retryAfterSeconds = 5

export function httpStatusOf(code: ServiceErrorCode): number {
  return statusByCode[code]
}

type Problem = { status: number; headers: Record<string, string>; body: ErrorBody | ActionErrorBody }

/** A refusal as it is answered. `POST /actions` has a body of its own for 400; all other refusals have the envelope. */
export function toProblem(error: ServiceError, operationId: OperationId | null, requestId: string): Problem {
  const status = httpStatusOf(error.code)
  const headers: Record<string, string> = {}
  if (status === 503 || status === 429) headers['Retry-After'] = String(error.details.retryAfter ?? retryAfterSeconds)
  const body =
    status === 400 && operationId === 'createAction' ? actionError(error, requestId) : envelope(error, requestId)
  return { status, headers, body }
}

function envelope({ message, code, details }: ServiceError, requestId: string): ErrorBody {
  const { token } = details
  const shown = { ...details, ...(token && { token: checksumAddress(token) }) }
  return { success: false, data: null, error: { message, code, ...shown }, requestId }
}

function actionError(error: ServiceError, requestId: string): ActionErrorBody {
  const issues = error.details.issues ?? issueOf(error)
  return { error: error.message, ...(issues && { issues }), requestId }
}

/** `ActionErrorBody` has no field for a code, so a code that issues know as well is told in an issue. */
function issueOf({ code, message }: ServiceError): Issue[] | undefined {
  const known = (issueCodes as readonly string[]).includes(code)
  return known ? [{ path: '', message, code: code as IssueCode }] : undefined
}
