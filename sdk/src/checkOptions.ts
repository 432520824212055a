import { IntentError } from './errors.js'
import { isText } from './isText.js'

/** Headers by name, a `Headers`, or a list of names and values. */
export type GivenHeaders =
  | Record<string, string>
  | readonly (readonly [name: string, value: string])[]
  // What a `Headers` has whatever libraries are compiled with.
  | { forEach: (each: (value: string, name: string) => void) => void }

/** As a `Headers`, with names in lower case. What can't be sent is refused here; values are secrets and not quoted. */
export function readHeaders(given: unknown, at = 'headers'): Headers {
  const headers = new Headers()
  for (const pair of pairsOf(given, at)) {
    const [name, value, ...more] = Array.isArray(pair) ? (pair as unknown[]) : []
    if (value === undefined && !Array.isArray(given)) continue
    try {
      // An object, undefined or a function is no text.
      if ((/^[ouf]/.test(typeof value) && !Array.isArray(value)) || more.length > 0) throw new TypeError()
      headers.append(name as string, value as string)
    } catch {
      throw new IntentError(`${at} has a name or a value that no request can carry: ${shown(name)}.`)
    }
  }
  return headers
}

function pairsOf(given: unknown, at: string): Iterable<unknown> {
  if (given === undefined || given === null) return []
  // An iterator could be read once alone, and headers are read for each call.
  if (typeof given === 'object' && !('next' in given)) {
    return Symbol.iterator in given ? (given as Iterable<unknown>) : Object.entries(given)
  }
  throw new IntentError(`${at} has to be an object, a Headers or a list of pairs.`)
}

/** Of a name only what is one: a value could have got into its place. */
function shown(name: unknown): string {
  return isText(name, /^[a-z0-9-]{1,40}$/i) ? name : 'its name is none'
}

export function readBaseUrl(baseUrl: unknown): string {
  const given = String(baseUrl ?? '').trim()
  try {
    // Throws where its host or port can't be.
    if (/^https?:\/\/[^\s?#@]+$/i.test(given) && new URL(given)) return given.replace(/\/+$/, '')
  } catch {
    // As below.
  }
  throw new IntentError(
    "baseUrl has to be the service's http(s) address, without a query or a login" +
      // A login is no text for a message.
      (/[@?]/.test(given) ? '.' : `; it is ${given || 'missing'}.`),
  )
}
