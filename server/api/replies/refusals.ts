import type { ErrorObject } from 'ajv'
import { type Issue, ServiceError } from '../../domain/errors.js'
import type { OperationId } from '../handlers.js'
import { summarize, toIssues } from './issues.js'

/** The spec's five, in the order of the message that clients know. */
const venueFields = ['txHash', 'address', 'actionType', 'venue', 'chainId']

/** A body that breaks the schema, in the words that the operation is known for. */
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

/** Names what is given more than once, of which none can be told to be meant. */
export function refuseRepeated(names: readonly string[]): ServiceError {
  return new ServiceError('validation_failed', names.map((name) => `${name} is given more than once`).join('; '))
}

/** Parameters have no place in a body, so the message alone names them. */
export function refuseParameters(errors: readonly ErrorObject[]): ServiceError {
  const issues = toIssues(errors, '')
  return new ServiceError('validation_failed', issues.map((issue) => issue.message).join('; '))
}

/** An empty field is as good as none. */
function lacksVenueField(body: unknown): boolean {
  if (body === undefined) return true
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  const given = body as Record<string, unknown>
  return venueFields.some((field) => given[field] === undefined || given[field] === null || given[field] === '')
}
