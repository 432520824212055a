import type { Issue, IssueCode } from './errors.js'

/** What is wrong at a place, in a sentence that begins with the field's name. */
export function issueAt(path: string, rule: string, code: IssueCode): Issue {
  return { path, message: `${nameOf(path)} ${rule}`, code }
}

/** The field's name, with its position if it is an item: `chainBatches[1]`. */
export function nameOf(path: string): string {
  const steps = path.split('/').slice(1)
  const last = steps.at(-1)
  if (last === undefined) return 'The body'
  return /^\d+$/.test(last) && steps.length > 1 ? `${steps.at(-2)}[${last}]` : unescape(last)
}

function unescape(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
