import { setMaxListeners } from 'node:events'
import type { Server } from 'node:http'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { createApp } from './api/app.js'
import { createDocsHandlers } from './api/docs.js'
import { type Doors, openDoors } from './api/doors.js'
import { createExplorerHandlers } from './api/explorer.js'
import { createActionHandlers } from './api/handlers/actions.js'
import { createAirdropHandlers } from './api/handlers/airdrops.js'
import { createChainHandlers } from './api/handlers/chains.js'
import { createDepositHandlers } from './api/handlers/deposits.js'
import { createEventHandlers } from './api/handlers/events.js'
import { createHealthHandlers } from './api/handlers/health.js'
import { createLegacyHandlers } from './api/handlers/legacy.js'
import { createStepHandlers } from './api/handlers/steps.js'
import { createVenueTxHashHandlers } from './api/handlers/venueTxHashes.js'
import { connectionLimits, createHttpServer } from './api/httpServer.js'
import { loadSpec } from './api/spec.js'
import * as bundles from './chain/bundles.js'
import { ChainUnavailable } from './chain/chain.js'
import * as contracts from './chain/contracts.js'
import { createChains } from './chain/createChain.js'
import * as failure from './chain/failure.js'
import * as fees from './chain/fees.js'
import { hashByWebAssembly } from './chain/keys/fastKeccak256.js'
import { chooseRecovery } from './chain/keys/recoverAddress.js'
import * as transfers from './chain/transfers.js'
import * as verifyPayment from './chain/verifyPayment.js'
import type { Config } from './config/config.js'
import { type Devnet, startDevnet } from './devnet/devnet.js'
import type { ChainConfig } from './domain/chainConfig.js'
import type { Settings } from './domain/settings.js'
import { settledOrAfter } from './concurrency/settledOrAfter.js'
import { untilAborted } from './concurrency/untilAborted.js'
import { createEngine } from './engine/engine.js'
import type { EngineTools } from './engine/tools.js'
import { createActions } from './services/actions.js'
import { createAirdrops } from './services/airdrops.js'
import { createDeposits } from './services/deposits.js'
import { createDraining } from './services/draining.js'
import { createEvents } from './services/events.js'
import { createHealth } from './services/health.js'
import { createLegacy } from './services/legacy.js'
import { createSteps } from './services/steps.js'
import { createVenueTxHashes } from './services/venueTxHashes.js'
import { createLogger } from './process/logging.js'
import { listen } from './process/listen.js'
import { createMetrics, serveMetrics } from './process/metrics.js'
import { openSigners } from './start/openSigners.js'
import { createKnownChains } from './start/knownChains.js'
import { refuseDropped } from './start/knownDeployment.js'
import { createSignals } from './signals.js'
import { refuseOtherDecimals } from './start/tokenDecimals.js'
import { createDatabase, type Database } from './store/connection/database.js'
import { isOutage, isWriteRefused } from './store/connection/databaseErrors.js'
import { explainUnusable } from './store/connection/databaseUnusable.js'
import { createRateLimits } from './store/rateLimits.js'
import { createStore } from './store/store.js'

export const version = '0.1.0'

/** How often the log says what becomes of connections. */
const tellAgainMs = 10_000
const refusedMessage = 'as many clients are connected as MAX_CONNECTIONS allows; others are turned away'
const unreadMessage = 'clients do not read what they ask for; those who have most before them are cut'

/** How long requests under way, and then the engine, may take to end when the process stops; both together, less than 5 s. */
const drainMs = 4_000
/**
 * For how long a database may be silent while it is asked for something. Longer than a lock is waited for, and than an idle
 * connection is kept.
 */
const silentMs = 40_000
/** For how long the engine may come to a stop at least, in milliseconds. */
const leastMs = 500

export type Service = {
  /** Where the API listens. Null for `ROLE=engine`. */
  url: string | null
  chains: ChainConfig[]
  /** Has all replicas accept nothing new, or again; for `ROLE=engine` too. */
  setDraining(draining: boolean): Promise<void>
  isDraining(): Promise<boolean>
  /** For what looks at the books beside the service, in its process. */
  database: Database
  /** Stops in order: no new requests, no new work, then the embedded chains and the database. */
  stop(): Promise<void>
}

/** The database or a chain, which come back. */
const isAway = (error: unknown) => isOutage(error) || error instanceof ChainUnavailable

type StartOptions = {
  recovery?: ReturnType<typeof chooseRecovery>
  /** Unix milliseconds; another clock than the machine's lets a test go through minutes at once. */
  now?: () => number
  /** Breaks off the start, which then rejects with the reason. A service that has started is stopped by its `stop`. */
  signal?: AbortSignal
}

/** Builds the whole graph from a configuration and starts it. What fails here has left nothing running. */
export async function startService(
  config: Config,
  log: Logger = createLogger(config),
  { recovery = chooseRecovery(), now = Date.now, signal = new AbortController().signal }: StartOptions = {},
): Promise<Service> {
  const undo: (() => Promise<void>)[] = []
  let stopBy = Infinity
  const stopAll = async () => {
    stopBy = performance.now() + drainMs
    const failures: unknown[] = []
    // What fails keeps nothing after it open.
    for (const step of undo.reverse()) await step().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  try {
    log.info({ by: await hashByWebAssembly() }, 'keccak256 is computed')
    // Before the chains: it refuses a second process, which must not touch the chains of the first.
    const place = config.database
    const database = createDatabase(place.kind === 'mysql' ? { silentMs, ...place } : place, (fields, message) =>
      log.error(fields, message),
    )
    // A connection on which a silent server has not answered is not waited for; a file is closed whole.
    undo.push(() => (place.kind === 'mysql' ? settledOrAfter(database.close(), leastMs / 2) : database.close()))
    await untilAborted(database.migrate(), signal)
    const store = createStore(database)

    const devnet = config.deployment ? null : await startDevnet({ dataDir: join(config.dataDir, 'chains') })
    if (devnet) undo.push(() => devnet.stop())
    signal.throwIfAborted()
    const deployment = config.deployment ?? (devnet as Devnet)

    const keys = config.deployment?.keys ?? { kind: 'plain', keys: (devnet as Devnet).operatorKeys }
    const opened = await untilAborted(openSigners(keys), signal)
    const signers = new Map(opened.map((signer) => [signer.address, signer]))
    const signerFaults: EngineTools['signerFaults'] = new Map()
    const unopenedLanes: EngineTools['unopenedLanes'] = new Map()
    const metrics = createMetrics(version)
    const knownChains = createKnownChains(store, deployment.chains)
    const chains = createChains(deployment.chains, {
      isGenesis: knownChains.isGenesis,
      onRoundTrip: ({ chainId, node, outcome, durationMs }) =>
        metrics.observeRpc(chainId, node, outcome, durationMs / 1000),
    })
    const settings: Settings = {
      chains: new Map(deployment.chains.map((chain) => [chain.chainId, chain])),
      groups: deployment.groups,
      operators: [...signers.keys()],
      onDemandProof: config.onDemandProof,
    }
    const living = [knownChains.refuseOthers(chains), refuseOtherDecimals(chains, log)]
    await untilAborted(Promise.all(living), signal)
    const dropped = refuseDropped(database, deployment.chains, log)
    const { unconfiguredCredit, droppedTokens } = await untilAborted(dropped, signal)

    const signals = createSignals()
    const engine = createEngine(
      {
        store: createStore(database.urgent),
        settings,
        chains,
        codec: { ...bundles, ...contracts, ...failure, ...fees, ...transfers, ...verifyPayment },
        signers,
        signerFaults,
        unopenedLanes,
        log: log.child({ part: 'engine' }),
        now,
        isOutage: isAway,
        isLate: (error) => error instanceof ChainUnavailable && error.isLate,
        changed: signals.changed,
        countStep: metrics.countStep,
        countReorganised: metrics.countReorganised,
        observeTransaction: metrics.observeTransaction,
      },
      config.bundling,
    )
    if (config.role !== 'api') {
      await store.endLeases()
      engine.start()
      undo.push(() => engine.stop(Math.max(stopBy - performance.now(), leastMs)))
    }
    const draining = createDraining({ store, now })
    const { set: setDraining, isDraining } = draining
    const common = { chains: deployment.chains, database, setDraining, isDraining, stop: stopAll }
    const { operators } = settings
    const faults = { signerFaults, unopenedLanes }
    const health = createHealth({ store, chains, operators, ...faults, unconfiguredCredit, version, now })
    if (config.metricsPort !== null) {
      const served = await serveMetrics(metrics, health.report, { host: config.host, port: config.metricsPort })
      undo.push(served.close)
      log.info({ url: served.url }, 'metrics')
    }
    if (config.role === 'engine') return { url: null, ...common }

    const shutdown = new AbortController()
    // Every open request listens.
    setMaxListeners(0, shutdown.signal)
    log.info({ by: recovery.by }, 'signatures are recovered')
    const { recover } = recovery
    const actions = createActions({ store, settings, recover, now })
    const waiting = { store, settings, nextChange: signals.nextChange, now }
    const { takeSeat, isAccountAwaited } = engine
    const handOver = { takeSeat, isAccountAwaited, wake: () => engine.wake('steps') }
    const steps = createSteps({ ...waiting, ...handOver, droppedTokens, recover })
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
        ...createEventHandlers(createEvents({ store, nextChange: signals.nextChange, isOutage })),
        ...createHealthHandlers(health),
      },
      logger: log.child({ part: 'api' }),
      observeRequest: metrics.observeRequest,
      corsOrigins: config.corsOrigins,
      bodyLimitBytes: config.bodyLimitBytes,
      rateLimits: config.rateLimitPerMinute > 0 ? await createRateLimits(database, config.rateLimitPerMinute) : null,
      // Whoever opens as many streams as he may leaves room for others.
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
    undo.push(() => closeServer(server, doors, shutdown))
    const { port } = server.address() as { port: number }
    const host = config.host.includes(':') ? `[${config.host}]` : config.host
    return { url: `http://${host}:${port}`, ...common }
  } catch (error) {
    await stopAll()
    // Of a database that is up to date this shows only where the start first writes to it.
    throw (isWriteRefused(error) && explainUnusable(config.database, error)) || error
  }
}

/** What becomes of connections: each is counted, and the log is told now and then, as it may be hundreds a second. */
function reporter(log: Logger, message: string, count: () => void): () => void {
  let toldAt = -Infinity
  return () => {
    count()
    if (performance.now() - toldAt < tellAgainMs) return
    toldAt = performance.now()
    log.warn(message)
  }
}

/** How many connections wait to be taken up; Node's own 511 are fewer than may come at once. The system may allow fewer. */
const backlog = 4_096

/** Lets requests under way end, then closes what is left of the connections. */
async function closeServer(server: Server, doors: Doors, shutdown: AbortController): Promise<void> {
  shutdown.abort()
  const closed = Promise.all([new Promise<void>((resolve) => server.close(() => resolve())), doors.close()])
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const force = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearInterval(idle)
  clearTimeout(force)
}
