import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import { ServiceError } from '../../domain/errors.js'
import { toProblem } from '../replies/problem.js'
import { requestIdOf } from '../requestId.js'
import { type Answer, inTurn, type WaitingLimits } from './inTurn.js'
import { cutUnread } from './unread.js'

/** How long a client may take, all in ms, and how many there may be. */
export type ConnectionLimits = WaitingLimits & {
  /** From the connection, or from the first byte of a later request, until its headers have come. */
  headersMs: number
  /** Until the whole request has come. */
  requestMs: number
  /**
   * Between two requests of a connection. Longer than common proxies (60 s) and clients keep it, who might else use it
   * just as it is closed.
   */
  idleMs: number
  /** Without a byte in either direction; longer than a step is waited for, and than the pauses of event streams. */
  silenceMs: number
  /** Bytes of answers not read yet, on all connections together; beyond, `cutUnread` cuts some of them. */
  unreadBytes: number
  /** How often connections are compared with these limits, and so how late one may be cut. */
  checkEveryMs: number
  /** Connections open at once; one more is closed before it is read, so that those that are open are served. */
  connections: number
  /**
   * Headers of a request. Node takes 32 in at a time: with a multiple of that, nobody could see that there are more.
   */
  headers: number
}

export const connectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 75_000,
  silenceMs: 120_000,
  unreadBytes: 64 * 2 ** 20,
  checkEveryMs: 1_000,
  connections: 10_000,
  headers: 100,
  waiting: 16,
  waitingInAll: 1_024,
}

/** A request that was refused before it came to the app, whose log has no line of it. */
type EarlyRefusal = { requestId: string; status: number; message: string }

type ConnectionEvents = {
  /** Whether scripts of any origin may read these refusals, as CORS lets them read all else. */
  isPublic?: boolean
  onEarlyRefusal?: (refusal: EarlyRefusal) => void
  /** Called for each connection that was one too many. */
  onRefused?: () => void
  /** Called for each connection that was cut because its client did not read its answers. */
  onUnread?: () => void
}

/** Serves the app; cuts slow clients, and answers what is not valid HTTP with the error body of all refusals. */
export function createHttpServer(
  app: Koa,
  limits: ConnectionLimits = connectionLimits,
  {
    isPublic = false,
    onEarlyRefusal = () => undefined,
    onRefused = () => undefined,
    onUnread = () => undefined,
  }: ConnectionEvents = {},
): Server {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    // `soundOnly` requires the header Host, and answers with our error body.
    requireHostHeader: false,
    // TCP asks a silent peer now and then whether it is still there, so that a dead one is noticed.
    keepAlive: true,
  })
  server.setTimeout(limits.silenceMs, (socket) => socket.destroy())
  server.maxConnections = limits.connections
  server.on('drop', onRefused)
  cutUnread(server, { mostBytes: limits.unreadBytes, checkEveryMs: limits.checkEveryMs }, onUnread)
  server.maxHeadersCount = limits.headers
  const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>()
  const refuse = (reason: string | undefined, givenId?: unknown): Refusal => {
    const [status, message] = wordsFor(reason)
    const requestId = requestIdOf(givenId)
    onEarlyRefusal({ requestId, status, message })
    return refusal({ requestId, status, message }, isPublic)
  }
  const answer = inTurn(soundOnly(app.callback(), limits.headers, refuse), limits)
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, { request, response })
    answer(request, response)
  }
  server.on('request', handle)
  // A request with an unknown `Expect` need not be refused (RFC 9110, 10.1.1).
  server.on('checkExpectation', handle)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = latest.get(socket)
    // A refusal written here must not be taken for the answer to a request that the app is still busy with.
    const isOwed = last && !(last.request.complete && last.response.writableEnded)
    const canAnswer = !isOwed || (!last.request.complete && !last.response.headersSent)
    if (socket.writable && canAnswer && error.code !== 'ECONNRESET') socket.write(asText(refuse(error.code)))
    socket.destroy()
  })
  return server
}

/** Refuses what Node takes but the app must not get: requests of unusable target, without Host, of too many headers. */
function soundOnly(answer: Answer, mostHeaders: number, refuse: (reason: string, givenId: unknown) => Refusal): Answer {
  return (request, response) => {
    const path = pathOf(request.url ?? '')
    const hasHost = request.httpVersion !== '1.1' || request.headers.host !== undefined
    // `rawHeaders` has names and values in turn. Node leaves surplus headers out of `headers`, be it the body's type or
    // whom a proxy names.
    const hasTooMany = request.rawHeaders.length > 2 * mostHeaders
    if (path !== null && hasHost && !hasTooMany) {
      request.url = path
      answer(request, response)
      return
    }
    const reason = hasTooMany ? 'TOO_MANY_HEADERS' : hasHost ? 'BAD_TARGET' : 'NO_HOST'
    const { status, headers, body } = refuse(reason, request.headers['x-request-id'])
    response.writeHead(status, headers).end(body)
  }
}

/**
 * A request's target without the scheme and the host that proxies may put before its path (RFC 9112, 3.2.2). Null where
 * the target has neither form: Koa parses `url` anew at each use, and would throw each time, in the access log's
 * listener too.
 */
function pathOf(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target
  const [, path] = /^https?:\/\/[^/?#]+(.*)$/i.exec(target) ?? []
  if (path === undefined || !URL.canParse(target)) return null
  return path.startsWith('/') ? path : `/${path}`
}

type Refusal = { status: number; headers: Record<string, string>; body: string }

function refusal({ requestId, status, message }: EarlyRefusal, isPublic: boolean): Refusal {
  const code = status === 413 ? 'payload_too_large' : 'validation_failed'
  const body = JSON.stringify(toProblem(new ServiceError(code, message), null, requestId).body)
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'x-request-id': requestId,
    ...(isPublic && { 'Access-Control-Allow-Origin': '*' }),
  }
  return { status, headers, body }
}

function asText({ status, headers, body }: Refusal): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}

function wordsFor(reason: string | undefined): [status: number, message: string] {
  switch (reason) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'The request’s headers are too large']
    case 'TOO_MANY_HEADERS':
      return [431, 'The request has too many headers']
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return [413, 'The extensions of the body’s chunks are too large']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'The request did not come in time']
    case 'BAD_TARGET':
      return [400, 'The request’s target is neither a path nor an http address']
    case 'NO_HOST':
      return [400, 'The header Host is required']
    default:
      return [400, 'The request is not valid HTTP']
  }
}
