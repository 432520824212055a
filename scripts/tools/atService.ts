import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createRedactor } from '../../server/chain/nodes/redact.js'
import { dataDirOf, loadChains, loadConfig } from '../../server/config/config.js'
import { startDevnet } from '../../server/devnet/devnet.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { hideSecrets } from '../../server/process/logging.js'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import type { DatabaseConfig } from '../../server/store/connection/openDatabase.js'
import { isOfDatabase } from '../../server/store/connection/databaseErrors.js'
import { databasePlace } from '../../server/store/connection/databasePlace.js'
import { explainUnusable } from '../../server/store/connection/databaseUnusable.js'
import { mysqlErrno } from '../../server/store/connection/mysqlErrors.js'
import { describeChains, describePlace, refuseNoChains, refuseNoPlace } from './place.js'

type Place = {
  database: Database
  chains: ChainConfig[]
  /** What the command line says besides. */
  words: string[]
}

/**
 * Does a tool's work on the service's own database and chains, named by the same environment, and says first which
 * these are. What fails, from the configuration on, is said without secrets (what a node's client says holds the node's
 * address, and with it a credential), and ends the process with 1.
 */
export function atService(work: (place: Place) => Promise<void>): Promise<void> {
  return at(async (run) => {
    refuseNoPlace(process.env, run.embedded)
    const loaded = loadConfig(process.env)
    if (!loaded.ok) throw haveProblems(loaded.problems)
    const { config } = loaded
    run.hide = hideSecrets(config)
    run.explain = (error) => (isOfDatabase(error) ? explainUnusable(config.database, error) : null)
    console.log(describePlace(config))
    refuseNoFile(config.database)
    const database = createDatabase(config.database)
    run.undo.push(() => database.close())
    await refuseOtherBuild(database, config.database)
    const chains = config.deployment?.chains ?? (await startChains(config.dataDir, run))
    await work({ database, chains, words: run.words })
  })
}

/**
 * The same for what is of the chains alone. It reads the chains file and nothing else: the database may be down or held
 * by the service, and whoever has no keys and no word of the database in his shell has to be able to stop payouts.
 */
export function atChains(work: (place: Omit<Place, 'database'>) => Promise<void>): Promise<void> {
  return at(async (run) => {
    refuseNoChains(process.env, run.embedded)
    const { chains: named, problems } = loadChains(process.env)
    if (problems.length > 0) throw haveProblems(problems)
    run.hide = createRedactor(named.flatMap(({ rpcUrls }) => rpcUrls))
    const dataDir = dataDirOf(process.env)
    console.log(`Looking at ${describeChains(run.embedded ? null : named, dataDir)}`)
    await work({ chains: run.embedded ? await startChains(dataDir, run) : named, words: run.words })
  })
}

type Run = {
  embedded: boolean
  words: string[]
  /** Takes secrets out of a text; until there is a configuration, what is said repeats none. */
  hide: (text: string) => string
  /** What fails in words for an operator, or null. */
  explain: (error: unknown) => Error | null
  /** What has to be put away at the end, the last first. */
  undo: (() => Promise<void>)[]
}

async function at(work: (run: Run) => Promise<void>): Promise<void> {
  const said = process.argv.slice(2)
  const run: Run = {
    embedded: said.includes('--embedded'),
    words: said.filter((word) => word !== '--embedded'),
    ...{ hide: (text) => text, explain: () => null, undo: [] },
  }
  process.stdout.on('error', outliveReader)
  try {
    await work(run)
  } catch (error) {
    const { message } = run.explain(error) ?? (error instanceof Error ? error : new Error(String(error)))
    console.error(run.hide(message))
    process.exitCode = 1
  } finally {
    for (const step of run.undo.reverse()) await step()
  }
}

async function startChains(dataDir: string, { undo }: Run): Promise<ChainConfig[]> {
  const devnet = await startDevnet({ dataDir: join(dataDir, 'chains'), isGuest: true })
  undo.push(() => devnet.stop())
  return devnet.chains
}

function refuseNoFile(config: DatabaseConfig): void {
  if (config.kind === 'sqlite' && !existsSync(config.file)) throw neverUsed(config)
}

/**
 * Only the service makes and changes its tables: in empty ones a tool would find
 * everything in order, in the wrong place.
 */
async function refuseOtherBuild(database: Database, config: DatabaseConfig): Promise<void> {
  const pending = await database.pendingMigrations().catch((error: unknown) => {
    if ((error as { errno?: unknown }).errno === mysqlErrno.noSuchDatabase) return null
    throw error
  })
  if (pending === null) throw neverUsed(config)
  if (pending.length === 0) return
  throw new Error(
    `${databasePlace(config)} lacks migrations of this build (${pending.join(', ')}): start this build's service first, ` +
      'which makes them, or use the tools of the build that runs.',
  )
}

function neverUsed(config: DatabaseConfig): Error {
  return new Error(
    `No service has ever used this database (${databasePlace(config)}). Set DATABASE_URL and DATA_DIR as the service has ` +
      'them; a new service makes its tables itself at its first start.',
  )
}

/** Whoever reads what is said may have had enough, as `head` has; what was begun is done and put away all the same. */
function outliveReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
}

/** All problems in one line, as everything else that these tools fail with. */
function haveProblems(problems: string[]): Error {
  return new Error(`The configuration has problems: ${problems.join('; ')}`)
}
