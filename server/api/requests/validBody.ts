import type { ValidateFunction } from 'ajv'
import { type Issue, maxIssues } from '../../domain/errors.js'
import type { CompiledOperation } from '../compileOperations.js'
import { toIssues } from '../replies/issues.js'
import { refuseBody } from '../replies/refusals.js'
import type { ReadBody } from './bodyReader.js'
import { beginningOf, clipLists } from './clipLists.js'

/**
 * Of how many values a long body's beginning is validated first, and of how many then, before all of it. A refusal
 * names at most `maxIssues` issues, and a body has room for a thousand times as many: once so many are found, the rest
 * is not looked at.
 */
const beginnings = [1_000, 8_000]

/** The body as the operation's schema wants it; a `ServiceError` is thrown where it is not. */
export function validBody(given: ReadBody, { operationId, validateBody }: CompiledOperation): unknown {
  if (given.outcome === 'invalid') throw refuseBody(operationId, [given.issue], undefined)
  const { body } = given
  const values = clipLists(body)
  if (!validateBody) return body
  for (const most of beginnings) {
    if (values <= most) break
    const issues = issuesOf(beginningOf(body, most), validateBody)
    if (issues.length === maxIssues) throw refuseBody(operationId, issues, body)
  }
  const issues = issuesOf(body, validateBody)
  if (issues.length > 0) throw refuseBody(operationId, issues, body)
  return body
}

function issuesOf(body: unknown, validate: ValidateFunction): Issue[] {
  const isValid = validate(body === undefined ? {} : { requestBody: body })
  return isValid ? [] : toIssues(validate.errors ?? [], '/requestBody')
}
