import { join } from 'node:path'
import { loadConfig } from '../server/config.js'
import { startDevnet } from '../server/devnet/devnet.js'
import type { ChainConfig } from '../server/domain/chainConfig.js'
import { hideSecrets } from '../server/logging.js'
import { createDatabase, type Database } from '../server/store/database.js'

/**
 * Does a tool's work on the service's own database and chains, named by the same environment. What fails is said without
 * secrets (what a node's client says holds the node's address, and with it a credential), and ends the process with 1.
 */
export async function atService(
  work: (place: { database: Database; chains: ChainConfig[] }) => Promise<void>,
): Promise<void> {
  const loaded = loadConfig(process.env)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const { config } = loaded
  const database = createDatabase(config.database)
  await database.migrate()
  const devnet = config.deployment ? null : await startDevnet({ dataDir: join(config.dataDir, 'chains') })
  try {
    await work({ database, chains: (config.deployment ?? devnet!).chains })
  } catch (error) {
    console.error(hideSecrets(config)(error instanceof Error ? error.message : String(error)))
    process.exitCode = 1
  } finally {
    await devnet?.stop()
    await database.close()
  }
}
