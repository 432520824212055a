import type { ErrorObject } from 'ajv'
import { type Issue, ServiceError } from '../../domain/errors.js'
import type { OperationId } from '../handlerTypes.js'
import { summarize, toIssues } from './issues.js'

/** The fields that the spec requires of a venue's transaction, in the order of the message that clients know. */
const venueFields = ['txHash', 'address', 'actionType', 'venue', 'chainId']

/** The refusal of a body that breaks the schema, in the words that clients know from the operation. */
export function refuseBody(operationId: OperationId, issues: Issue[], body: unknown): ServiceError {
  if (operationId === 'createAction') {
    return new ServiceError('validation_failed', 'Schema validation failed', { issues })
  }
  const isJson = issues[0]?.code !== 'json'
  if (operationId === 'recordVenueTxHash' && isJson && lacksVenueField(body)) {
    return new ServiceError('missing_fields', 'Missing txHash, address, actionType, venue or chainId')
  }
  return new ServiceError('validation_failed', summarize(issues), { issues })
}

/** The refusal of parameters that are given more than once, as nobody knows which value is meant. */
export function refuseRepeated(names: readonly string[]): ServiceError {
  return new ServiceError('validation_failed', names.map((name) => `${name} is given more than once`).join('; '))
}

/** The refusal of parameters. Issues have paths into a body, where no parameter is, so the message alone names them. */
export function refuseParameters(errors: readonly ErrorObject[]): ServiceError {
  const issues = toIssues(errors, '')
  return new ServiceError('validation_failed', issues.map((issue) => issue.message).join('; '))
}

/** Whether a field is missing; an empty one is as good as none. */
function lacksVenueField(body: unknown): boolean {
  if (body === undefined) return true
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const given = body as Record<string, unknown>
  return venueFields.some((field) => given[field] === undefined || given[field] === null || given[field] === '')
}
