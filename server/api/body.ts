import bourne from '@hapi/bourne'
import type { Context } from 'koa'
import { type Issue } from '../domain/errors.js'
import { isNestedDeeper } from './nesting.js'
import { createReaders } from './readers.js'
import { type ReceivedBody, receiveBody, tooLarge } from './receiveBody.js'
import { createUnfinishedBodies } from './unfinishedBodies.js'
import { unpack } from './unpack.js'

/** `body` undefined: the request has none. */
export type ReadBody = { outcome: 'read'; body: unknown } | { outcome: 'invalid'; issue: Issue }

const endedEarly = 'The body ended early'
/** Ten times as deep as any body that the spec knows. */
const deepest = 64

/** Of all bodies that have not come whole. Some of the largest have room in any case. */
const unfinishedBytes = (limitBytes: number) => Math.max(64 * 2 ** 20, 8 * limitBytes)
/** How many bodies are unpacked at once: as many threads as Node has for it. */
const mostUnpacking = 4

/**
 * Reads JSON of at most `limitBytes`, both as it comes and unpacked. Both throw `ServiceError` when it is more; see
 * `receiveBody` for the rest.
 */
export function createBodyReader(limitBytes: number) {
  const begin = createUnfinishedBodies(unfinishedBytes(limitBytes))
  const takeTurn = createReaders(mostUnpacking)
  const decoder = new TextDecoder()

  return {
    receive: (ctx: Context): Promise<ReceivedBody> => receiveBody(ctx, limitBytes, begin),

    /** Makes values of it. It is only unpacked now, as so much at once need not be in memory before its turn. */
    async read(received: ReceivedBody, isGone: () => boolean): Promise<ReadBody> {
      if (received.outcome === 'none') return { outcome: 'read', body: undefined }
      if (received.outcome === 'broken off') return invalid(endedEarly)
      const { bytes, encoding } = received
      const plain = encoding === null ? bytes : await takeTurn(isGone, () => unpack(bytes, encoding, limitBytes))
      if (plain === 'too large') throw tooLarge(limitBytes)
      if (plain === 'malformed') return invalid('The body is not what its Content-Encoding says')
      return plain === null ? invalid(endedEarly) : parse(decoder.decode(plain))
    },
  }
}

/** As text it is looked at before it is made into values. */
function parse(text: string): ReadBody {
  if (isNestedDeeper(text, deepest)) return invalid(`The body is nested more than ${deepest} deep`)
  try {
    // Every JSON value is read, so that `null` and `"text"` are refused by the schema, which says what it wants.
    return { outcome: 'read', body: text === '' ? undefined : bourne.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const isPrototype = error.message.includes('forbidden prototype')
    return invalid(isPrototype ? 'A property is named __proto__, which is not taken' : 'The body is not valid JSON')
  }
}

function invalid(message: string): ReadBody {
  return { outcome: 'invalid', issue: { path: '', message, code: 'json' } }
}
