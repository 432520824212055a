import type { ErrorObject } from 'ajv'
import { type Issue, type IssueCode, issueCodes, maxIssues } from '../../domain/errors.js'
import { nameOf } from '../../domain/issueAt.js'

type Schema = {
  format?: string
  pattern?: string
  discriminator?: { values?: string[] }
}

/** How messages describe a string of each format. */
const formats: Record<string, string> = {
  'evm-address': 'an address, 0x and 40 hex digits',
  'evm-address-or-solver': 'an address, 0x and 40 hex digits, or "solver"',
  'evm-hash': 'a hash, 0x and 64 hex digits',
  'evm-word': 'a number in hex, 0x and 1 to 64 hex digits',
  label: 'a string without control characters, unpaired surrogates and spaces at its ends',
  'chain-id': `a chain id from 1 to ${Number.MAX_SAFE_INTEGER}, as a number or in decimal digits without leading zeros`,
  decimal: 'a whole number in decimal digits, without leading zeros',
  hex: 'hex, 0x and an even number of hex digits',
  'printable-ascii': 'printable ASCII characters',
  uint256: 'a string of decimal digits without leading zeros, at most 2^256-1',
}

/** Ajv's errors as a client reads them. `root` is what Ajv's paths begin with, and what the issues' paths leave out. */
export function toIssues(errors: readonly ErrorObject[], root: string): Issue[] {
  const issues = new Map<string, Issue>()
  for (const error of errors) {
    const issue = toIssue(error, root)
    const key = `${issue.path} ${issue.code}`
    if (!issues.has(key)) issues.set(key, issue)
    if (issues.size === maxIssues) break
  }
  return [...issues.values()]
}

/** One sentence for all issues: the message of the first, and how many more there are. */
export function summarize(issues: readonly Issue[]): string {
  const [first] = issues
  if (!first) return 'Validation failed'
  return issues.length === 1 ? first.message : `${first.message} (and ${issues.length - 1} more)`
}

function toIssue(error: ErrorObject, root: string): Issue {
  const schema = (error.parentSchema ?? {}) as Schema
  const at = error.instancePath.slice(root.length)
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'required': {
      const path = `${error.instancePath}/${String(params.missingProperty)}`.slice(root.length)
      return { path, message: `${nameOf(path)} is required`, code: 'required' }
    }
    case 'discriminator': {
      const path = `${at}/${String(params.tag)}`
      if (params.tagValue === undefined) return { path, message: `${nameOf(path)} is required`, code: 'required' }
      const known = schema.discriminator?.values?.join(', ')
      return { path, message: `${nameOf(path)} must be one of ${known}`, code: 'discriminator' }
    }
    default:
      return { path: at, message: `${nameOf(at)} ${rule(error, schema, params)}`, code: codeOf(error.keyword) }
  }
}

function rule(error: ErrorObject, schema: Schema, params: Record<string, unknown>): string {
  const wanted = schema.format === undefined ? undefined : formats[schema.format]
  switch (error.keyword) {
    case 'type':
      return `must be ${wanted ?? withArticle([params.type].flat().join(' or '))}`
    case 'pattern':
      return wanted ? `must be ${wanted}` : `must match ${String(params.pattern)}`
    case 'format':
      return `must be ${wanted ?? `a ${String(params.format)}`}`
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
    case 'const':
      return `must be ${String(params.allowedValue)}`
    case 'minLength':
    case 'maxLength':
      // The limit counts characters: `0x`, and two digits for each byte.
      if (schema.format === 'hex')
        return `must have ${bound(error.keyword)} ${count(Number(params.limit) / 2 - 1, 'byte')}`
      return `must have ${bound(error.keyword)} ${count(params.limit, 'character')}`
    case 'minItems':
    case 'maxItems':
      return `must have ${bound(error.keyword)} ${count(params.limit, 'item')}`
    case 'minimum':
    case 'maximum':
      return `must be ${bound(error.keyword)} ${String(params.limit)}`
    default:
      return error.message ?? 'is not valid'
  }
}

/** A test makes sure that `issueCodes` has each keyword of the spec; `format` stands in for any other. */
function codeOf(keyword: string): IssueCode {
  return (issueCodes as readonly string[]).includes(keyword) ? (keyword as IssueCode) : 'format'
}

function bound(keyword: string): string {
  return keyword.startsWith('min') ? 'at least' : 'at most'
}

function count(limit: unknown, thing: string): string {
  return `${String(limit)} ${thing}${limit === 1 ? '' : 's'}`
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}
