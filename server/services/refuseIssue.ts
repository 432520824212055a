import { type Issue, ServiceError } from '../domain/errors.js'

/** A body that has one thing wrong beyond its schema. */
export function refuseIssue(issue: Issue): ServiceError {
  return new ServiceError('validation_failed', issue.message, { issues: [issue] })
}
