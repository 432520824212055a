import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Database } from '../../server/store/connection/database.js'
import { migratedSchema } from './mysqlSchemas.js'

export type TestService = {
  url: string
  chains: [ChainConfig, ChainConfig]
  /** The service's own, for what looks at the rows. */
  database: Database
  stop(): Promise<void>
}

/** The whole service on its embedded defaults, in a directory of its own, on the database under test. */
export async function startTestService(
  env: Record<string, string> = {},
  /** Where its log goes; by default nowhere, or as TEST_LOG_LEVEL says. */
  log?: Logger,
): Promise<TestService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'intents-'))
  const mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
  const clear = async () => {
    await mysql?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const loaded = loadConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...(process.env.BUNDLE_MAX_STEPS && { BUNDLE_MAX_STEPS: process.env.BUNDLE_MAX_STEPS }),
    ...(mysql && { DATABASE_URL: mysql.url }),
    ...env,
  })
  if (!loaded.ok) throw new Error(loaded.problems.join('; '))
  const { config } = loaded
  const service = await startService(config, log ?? pino({ level: config.logLevel })).catch(async (error: unknown) => {
    await clear()
    throw error
  })
  return {
    url: service.url!,
    chains: [service.chains[0]!, service.chains[1]!],
    database: service.database,
    async stop() {
      await service.stop()
      await clear()
    },
  }
}
