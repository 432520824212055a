import { setMaxListeners } from 'node:events'
import type { Server } from 'node:http'
import type { Logger } from 'pino'
import { createApp } from '../api/app.js'
import { type Doors, openDoors } from '../api/connections/doors.js'
import { connectionLimits, createHttpServer } from '../api/connections/httpServer.js'
import { createActionHandlers } from '../api/handlers/actions.js'
import { createAirdropHandlers } from '../api/handlers/airdrops.js'
import { createChainHandlers } from '../api/handlers/chains.js'
import { createDepositHandlers } from '../api/handlers/deposits.js'
import { createDocsHandlers } from '../api/handlers/docs.js'
import { createEventHandlers } from '../api/handlers/events.js'
import { createExplorerHandlers } from '../api/handlers/explorer.js'
import { createHealthHandlers } from '../api/handlers/health.js'
import { createLegacyHandlers } from '../api/handlers/legacy.js'
import { createStepHandlers } from '../api/handlers/steps.js'
import { createVenueTxHashHandlers } from '../api/handlers/venueTxHashes.js'
import { loadSpec } from '../api/spec.js'
import type { chooseRecovery } from '../chain/keys/recoverAddress.js'
import type { Config } from '../config/config.js'
import type { Settings } from '../domain/settings.js'
import type { createEngine } from '../engine/engine.js'
import { listen } from '../process/listen.js'
import type { Metrics } from '../process/metrics.js'
import { createActions } from '../services/actions.js'
import { createAirdrops } from '../services/airdrops.js'
import type { Changes } from '../services/changes.js'
import { createDeposits } from '../services/deposits.js'
import type { createDraining } from '../services/draining.js'
import { createEvents } from '../services/events.js'
import type { createHealth } from '../services/health.js'
import { createLegacy } from '../services/legacy.js'
import { createSteps } from '../services/steps.js'
import { createVenueTxHashes } from '../services/venueTxHashes.js'
import type { Database } from '../store/connection/database.js'
import { isOutage } from '../store/connection/databaseErrors.js'
import { createRateLimits } from '../store/rateLimits.js'
import type { Store } from '../store/store.js'
import type { Start } from './start.js'

/** How often at most the log says that connections are turned away, or cut. */
const tellAgainMs = 10_000
const refusedMessage = 'as many clients are connected as MAX_CONNECTIONS allows; others are turned away'
const unreadMessage = 'clients do not read what they ask for; those who have most before them are cut'
/**
 * How many connections may wait to be accepted: more may come at once than Node's own 511. The system may allow fewer.
 */
const backlog = 4_096

type Parts = {
  database: Database
  store: Store
  settings: Settings
  engine: ReturnType<typeof createEngine>
  changes: Changes
  draining: ReturnType<typeof createDraining>
  health: ReturnType<typeof createHealth>
  metrics: Metrics
  recovery: ReturnType<typeof chooseRecovery>
  /** Tokens that an earlier chains file named and this one does not. */
  droppedTokens: Parameters<typeof createSteps>[0]['droppedTokens']
  now: () => number
  /** Whether an error only says that the database or a chain is away: both come back. */
  isAway: (error: unknown) => boolean
  /** For how long requests under way may go on when the service stops. */
  drainMs: number
}

/** Builds the API on its services and opens it to clients. Answers its address. */
export async function openApi(config: Config, parts: Parts, { log, onStop }: Start): Promise<string> {
  const { database, store, settings, engine, changes, draining, health, metrics, recovery, now, isAway } = parts
  const shutdown = new AbortController()
  // Every open request listens, and Node takes more than ten listeners for a leak.
  setMaxListeners(0, shutdown.signal)
  log.info({ by: recovery.by }, 'signatures are recovered')
  const { recover } = recovery
  const actions = createActions({ store, settings, recover, now })
  const waiting = { store, settings, nextChange: changes.next, now }
  const { takeSeat, isAccountAwaited } = engine
  const handOver = { takeSeat, isAccountAwaited, wake: () => engine.wake('steps') }
  const steps = createSteps({ ...waiting, ...handOver, droppedTokens: parts.droppedTokens, recover })
  const spec = await loadSpec()
  const app = await createApp({
    spec,
    handlers: {
      ...createDocsHandlers(spec),
      ...createExplorerHandlers(),
      ...createActionHandlers(actions),
      ...createStepHandlers({ actions, steps }),
      ...createVenueTxHashHandlers(createVenueTxHashes({ store: store.venueTxHashes, now })),
      ...createChainHandlers(settings),
      ...createDepositHandlers(createDeposits({ ...waiting, wake: () => engine.wake('deposits') })),
      ...createAirdropHandlers(createAirdrops({ ...waiting, wake: () => engine.wake('airdrops') })),
      ...createLegacyHandlers(createLegacy({ store, actions, steps })),
      ...createEventHandlers(createEvents({ store, nextChange: changes.next, isOutage })),
      ...createHealthHandlers(health),
    },
    logger: log.child({ part: 'api' }),
    observeRequest: metrics.observeRequest,
    corsOrigins: config.corsOrigins,
    bodyLimitBytes: config.bodyLimitBytes,
    rateLimits: config.rateLimitPerMinute > 0 ? await createRateLimits(database, config.rateLimitPerMinute) : null,
    // A client that opens as many streams as it may still leaves connections to others.
    streamsPerClient: Math.ceil(config.maxConnections / 5),
    trustedProxies: config.trustedProxies,
    requireOpen: draining.requireOpen,
    isOutage: isAway,
    shutdown: shutdown.signal,
  })
  const limits = { ...connectionLimits, connections: config.maxConnections }
  const onRefused = reporter(log, refusedMessage, metrics.countRefusedConnection)
  const onUnread = reporter(log, unreadMessage, metrics.countUnreadConnection)
  const server = createHttpServer(app, limits, {
    isPublic: config.corsOrigins.includes('*'),
    onEarlyRefusal: ({ message, ...request }) => log.info({ ...request, refusal: message }, 'request refused unread'),
    onRefused,
    onUnread,
  })
  await listen(server, { host: config.host, port: config.port, portIn: 'PORT' }, backlog)
  const onFailed = () => log.warn('few connections are taken up at a time: the listening socket could not be copied')
  const doors = openDoors(server, { most: config.maxConnections, backlog, onRefused, onFailed })
  metrics.watchConnections(doors.connections)
  onStop(() => closeServer(server, doors, shutdown, parts.drainMs))
  const { port } = server.address() as { port: number }
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return `http://${host}:${port}`
}

/**
 * Counts each connection that was turned away, or cut, and logs it only now and then: there may be hundreds a second.
 */
function reporter(log: Logger, message: string, count: () => void): () => void {
  let toldAt = -Infinity
  return () => {
    count()
    if (performance.now() - toldAt < tellAgainMs) return
    toldAt = performance.now()
    log.warn(message)
  }
}

/** Lets requests under way end, then closes what is left of the connections. */
async function closeServer(server: Server, doors: Doors, shutdown: AbortController, drainMs: number): Promise<void> {
  shutdown.abort()
  const closed = Promise.all([new Promise<void>((resolve) => server.close(() => resolve())), doors.close()])
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const force = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearInterval(idle)
  clearTimeout(force)
}
