import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createApp } from '../../server/api/app.js'
import { operationIds } from '../../server/api/generated/operations.gen.js'
import type { Handlers } from '../../server/api/handlerTypes.js'
import { type ConnectionLimits, createHttpServer } from '../../server/api/connections/httpServer.js'
import { loadSpec } from '../../server/api/spec.js'

export type HttpLayer = {
  url: string
  /** Every line that was logged. */
  log: Record<string, unknown>[]
  shutdown: AbortController
  /** How many clients are connected. */
  connections(): Promise<number>
  /** How many were turned away, since there were as many as there may be. */
  refused(): number
  /** How many were cut, since they had not read what they had asked for. */
  unread(): number
  /** Ends every connection at once, as one that breaks off. */
  breakOff(): void
  stop(): Promise<void>
}

/** What the outage of the database or a chain looks like to the HTTP layer. */
export class Outage extends Error {}

/** The HTTP layer on a port of its own, in front of the given handlers; the other operations fail with 500. */
export async function startHttpLayer(
  handlers: Partial<Handlers>,
  options: {
    corsOrigins?: string[]
    connectionLimits?: ConnectionLimits
    streamsPerClient?: number
    requireOpen?: () => Promise<void>
  } = {},
): Promise<HttpLayer> {
  const log: Record<string, unknown>[] = []
  const logger = pino({ level: 'debug' }, { write: (line) => void log.push(JSON.parse(line)) })
  const shutdown = new AbortController()
  const { corsOrigins = ['*'] } = options
  const others = operationIds.map((id) => [id, () => Promise.reject(new Error(`${id} has no handler here`))])
  const app = await createApp({
    spec: await loadSpec(),
    handlers: { ...(Object.fromEntries(others) as Handlers), ...handlers },
    logger,
    corsOrigins,
    bodyLimitBytes: 262_144,
    rateLimits: null,
    streamsPerClient: options.streamsPerClient ?? 2_000,
    requireOpen: options.requireOpen ?? (async () => undefined),
    observeRequest: () => undefined,
    trustedProxies: 0,
    isOutage: (error) => error instanceof Outage,
    shutdown: shutdown.signal,
  })
  let refused = 0
  let unread = 0
  const server = createHttpServer(app, options.connectionLimits, {
    isPublic: corsOrigins.includes('*'),
    onEarlyRefusal: (refusal) => logger.info(refusal, 'request refused unread'),
    onRefused: () => void refused++,
    onUnread: () => void unread++,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    shutdown,
    connections: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
    refused: () => refused,
    unread: () => unread,
    breakOff: () => server.closeAllConnections(),
    stop: () => close(server),
  }
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
