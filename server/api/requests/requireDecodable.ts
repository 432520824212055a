import { ServiceError } from '../../domain/errors.js'

/** Koa's router passes malformed percent escapes on as they are; no operation has a path or a parameter with one. */
export function requireDecodable(part: 'path' | 'query', text: string): void {
  try {
    decodeURIComponent(text)
  } catch {
    throw new ServiceError('validation_failed', `The ${part} has a malformed percent escape`)
  }
}
