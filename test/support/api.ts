import { type Dispatcher, request as send } from 'undici'
import { validateReply } from './validateReply.js'

/** A reply as it came over the wire. */
// Read untyped, as a client without types reads it; every one of them is validated against the spec.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Reply = { status: number; headers: Headers; body: any }

export type Api = ReturnType<typeof createApi>

/** The REST API as a client without the SDK sees it. */
export function createApi(
  /** A function where it is not known yet. */
  baseUrl: string | (() => string),
  /** Headers of every request, and who is told of every reply. */
  options: { headers?: Record<string, string>; onReply?: (reply: Reply) => void } = {},
) {
  async function request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await send((typeof baseUrl === 'string' ? baseUrl : baseUrl()) + path, {
      method: method as Dispatcher.HttpMethod,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...options.headers, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.body.text()
    const isJson = response.headers['content-type']?.includes('json')
    const reply = {
      status: response.statusCode,
      headers: toHeaders(response.headers),
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
    options.onReply?.(reply)
    validateReply(method, path, reply)
    return reply
  }

  return {
    request,
    get: (path: string, headers?: Record<string, string>) => request('GET', path, undefined, headers),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => request('POST', path, body, headers),
    /** Asks for a step and waits for its end. */
    execute: (actionId: string, intent: number, step: number, body?: unknown, wait = 20) =>
      request('POST', `/actions/${actionId}/intents/${intent}/steps/${step}`, body, { prefer: `wait=${wait}` }),
  }
}

/** A name may come several times. */
function toHeaders(come: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(come)) {
    for (const value of [values ?? []].flat()) headers.append(name, value)
  }
  return headers
}
