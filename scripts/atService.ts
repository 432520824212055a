import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, loadConfig } from '../server/config/config.js'
import { startDevnet } from '../server/devnet/devnet.js'
import type { ChainConfig } from '../server/domain/chainConfig.js'
import { hideSecrets } from '../server/logging.js'
import { createDatabase, type Database, type DatabaseConfig } from '../server/store/database.js'
import { isOfDatabase } from '../server/store/databaseErrors.js'
import { databasePlace } from '../server/store/databasePlace.js'
import { explainUnusable } from '../server/store/databaseUnusable.js'
import { describePlace, refuseNoPlace } from './place.js'

type Place = {
  database: Database
  chains: ChainConfig[]
  /** What the command line says besides. */
  words: string[]
}

/**
 * Does a tool's work on the service's own database and chains, named by the same environment, and says first which these
 * are. What fails, from the configuration on, is said without secrets (what a node's client says holds the node's address,
 * and with it a credential), and ends the process with 1.
 */
export function atService(work: (place: Place) => Promise<void>): Promise<void> {
  return at({ work })
}

/** The same without its database, which may be down, or held by the service that runs: for what is of the chains alone. */
export function atChains(onChains: (place: Omit<Place, 'database'>) => Promise<void>): Promise<void> {
  return at({ onChains })
}

type Tool = { work: Parameters<typeof atService>[0] } | { onChains: Parameters<typeof atChains>[0] }

async function at(tool: Tool): Promise<void> {
  // What is said before there is a configuration repeats nothing secret.
  let hide = (text: string) => text
  let explain = (_error: unknown): Error | null => null
  process.stdout.on('error', outliveReader)
  const undo: (() => Promise<void>)[] = []
  try {
    const said = process.argv.slice(2)
    const words = said.filter((word) => word !== '--embedded')
    refuseNoPlace(process.env, said.includes('--embedded'))
    const config = readConfig()
    hide = hideSecrets(config)
    explain = (error) => (isOfDatabase(error) ? explainUnusable(config.database, error) : null)
    const readChains = async () => config.deployment?.chains ?? (await startChains(config))
    console.log(describePlace(config))
    if ('onChains' in tool) return await tool.onChains({ chains: await readChains(), words })
    refuseNoFile(config.database)
    const database = createDatabase(config.database)
    undo.push(() => database.close())
    await refuseOtherBuild(database, config.database)
    await tool.work({ database, chains: await readChains(), words })
  } catch (error) {
    const { message } = explain(error) ?? (error instanceof Error ? error : new Error(String(error)))
    console.error(hide(message))
    process.exitCode = 1
  } finally {
    for (const step of undo.reverse()) await step()
  }

  async function startChains({ dataDir }: Config): Promise<ChainConfig[]> {
    const devnet = await startDevnet({ dataDir: join(dataDir, 'chains'), isGuest: true })
    undo.push(() => devnet.stop())
    return devnet.chains
  }
}

function refuseNoFile(config: DatabaseConfig): void {
  if (config.kind === 'sqlite' && !existsSync(config.file)) throw neverUsed(config)
}

/** Only the service makes and changes its tables: in empty ones a tool would find everything in order, in the wrong place. */
async function refuseOtherBuild(database: Database, config: DatabaseConfig): Promise<void> {
  const pending = await database.pendingMigrations().catch((error: unknown) => {
    if ((error as { errno?: unknown }).errno === noSuchDatabase) return null
    throw error
  })
  if (pending === null) throw neverUsed(config)
  if (pending.length === 0) return
  throw new Error(
    `${databasePlace(config)} lacks migrations of this build (${pending.join(', ')}): start this build's service first, ` +
      'which makes them, or use the tools of the build that runs.',
  )
}

const noSuchDatabase = 1049

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
function readConfig(): Config {
  const loaded = loadConfig(process.env)
  if (loaded.ok) return loaded.config
  throw new Error(`The configuration has problems: ${loaded.problems.join('; ')}`)
}
