import type { Logger } from 'pino'
import * as bundles from './chain/bundles.js'
import { ChainUnavailable } from './chain/chain.js'
import * as contracts from './chain/contracts.js'
import * as failure from './chain/failure.js'
import * as fees from './chain/fees.js'
import * as gas from './chain/gas.js'
import { hashByWebAssembly } from './chain/keys/fastKeccak256.js'
import { chooseRecovery } from './chain/keys/recoverAddress.js'
import * as transfers from './chain/transfers.js'
import * as verifyPayment from './chain/verifyPayment.js'
import { settledOrAfter } from './concurrency/settledOrAfter.js'
import { untilAborted } from './concurrency/untilAborted.js'
import type { Config } from './config/config.js'
import type { ChainConfig } from './domain/chainConfig.js'
import { createEngine } from './engine/engine.js'
import { createLogger } from './process/logging.js'
import { createMetrics, serveMetrics } from './process/metrics.js'
import { createChanges } from './services/changes.js'
import { createDraining } from './services/draining.js'
import { createHealth } from './services/health.js'
import { openApi } from './start/openApi.js'
import { openChains } from './start/openChains.js'
import type { Start } from './start/start.js'
import { createDatabase, type Database } from './store/connection/database.js'
import { isOutage, isWriteRefused } from './store/connection/databaseErrors.js'
import { explainUnusable } from './store/connection/databaseUnusable.js'
import { createStore } from './store/store.js'

export const version = '0.1.0'

/**
 * How long requests under way, and then the engine, may take to end when the process
 * stops; both together, less than 5 s.
 */
const drainMs = 4_000
/**
 * For how long the database may leave a statement unanswered before its connection is given up, in milliseconds. Longer
 * than a statement waits for a lock, and than an idle connection is kept.
 */
const silentMs = 40_000
/** The time that the engine has for coming to a stop, however long requests took to end before; in milliseconds. */
const leastMs = 500

export type Service = {
  /** Where the API listens. Null for `ROLE=engine`. */
  url: string | null
  chains: ChainConfig[]
  /** Has all replicas accept nothing new, or again; for `ROLE=engine` too. */
  setDraining(draining: boolean): Promise<void>
  isDraining(): Promise<boolean>
  /** For tests, which look into the database beside the service, in its process. */
  database: Database
  /** Stops in order: no new requests, no new work, then the embedded chains and the database. */
  stop(): Promise<void>
}

/** Whether an error only says that the database or a chain is away: both come back. */
const isAway = (error: unknown) => isOutage(error) || error instanceof ChainUnavailable

type StartOptions = {
  recovery?: ReturnType<typeof chooseRecovery>
  /** Unix milliseconds. By another clock than the machine's a test can let minutes pass at once. */
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
    // A step that fails does not keep the others from closing what they are there to close.
    for (const step of undo.reverse()) await step().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  const start: Start = { log, signal, onStop: (step) => undo.push(step) }
  try {
    log.info({ by: await hashByWebAssembly() }, 'keccak256 is computed')
    // Before the chains: a second process on an SQLite file is refused here, and must not
    // touch the chains of the first.
    const database = await openDatabase(config, start)
    const store = createStore(database)
    const urgentStore = createStore(database.urgent)
    const metrics = createMetrics(version)
    const opened = await openChains(config, { database, store, metrics }, start)
    const { configs, chains, settings, signers, signerFaults, unopenedLanes, unconfiguredCredit, droppedTokens } =
      opened

    const changes = createChanges()
    const engine = createEngine(
      {
        store: urgentStore,
        settings,
        chains,
        codec: { ...bundles, ...contracts, ...failure, ...fees, ...gas, ...transfers, ...verifyPayment },
        signers,
        signerFaults,
        unopenedLanes,
        log: log.child({ part: 'engine' }),
        now,
        isOutage: isAway,
        isLate: (error) => error instanceof ChainUnavailable && error.isLate,
        changed: changes.tell,
        countStep: metrics.countStep,
        countReorganised: metrics.countReorganised,
        observeTransaction: metrics.observeTransaction,
      },
      config.bundling,
    )
    if (config.role !== 'api') {
      await store.endLeases()
      engine.start()
      start.onStop(() => engine.stop(Math.max(stopBy - performance.now(), leastMs)))
    }

    const draining = createDraining({ store, now })
    const { operators } = settings
    const faults = { signerFaults, unopenedLanes }
    // A process that many ask of is no process that is down.
    const health = createHealth({ store: urgentStore, chains, operators, ...faults, unconfiguredCredit, version, now })
    if (config.metricsPort !== null) {
      const served = await serveMetrics(metrics, health.report, { host: config.host, port: config.metricsPort })
      start.onStop(served.close)
      log.info({ url: served.url }, 'metrics')
    }
    const fromStart = { database, store, settings, metrics, recovery, now, isAway, drainMs }
    const forClients = { ...fromStart, engine, changes, draining, health, droppedTokens }
    const url = config.role === 'engine' ? null : await openApi(config, forClients, start)
    const { set: setDraining, isDraining } = draining
    return { url, chains: configs, database, setDraining, isDraining, stop: stopAll }
  } catch (error) {
    await stopAll()
    // Migrating a database that is up to date writes nothing, so that one that takes no writes is found out only later.
    throw (isWriteRefused(error) && explainUnusable(config.database, error)) || error
  }
}

/** Opens the database, with its tables as this version has them. */
async function openDatabase({ database: place }: Config, { log, signal, onStop }: Start): Promise<Database> {
  const database = createDatabase(place.kind === 'mysql' ? { silentMs, ...place } : place, (fields, message) =>
    log.error(fields, message),
  )
  // A server that has fallen silent answers no goodbye either, so it is not waited for; a file is closed to the end.
  onStop(() => (place.kind === 'mysql' ? settledOrAfter(database.close(), leastMs / 2) : database.close()))
  await untilAborted(database.migrate(), signal)
  return database
}
