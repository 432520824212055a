import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Logger } from 'pino'
import { startDevnet } from '../../server/devnet/devnet.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createApi } from './api.js'
import { chainsFileOf } from './chainsFile.js'
import { watchQueries } from './queryPlans.js'
import { startTestService, type TestService } from './service.js'

/**
 * A service for all tests of a `describe`, there from its `before` on, and its API. On SQLite the suite fails where the
 * engine, or a probe, has read a whole table.
 */
export function useTestService(env: Record<string, string> = {}) {
  return useStarted(() => startTestService(env))
}

/** The same, with all that its database is asked for remembered. */
export function useWatchedService() {
  const used = useTestService()
  let queries: ReturnType<typeof watchQueries>

  before(() => {
    queries = watchQueries(used.service.database)
  })

  return { ...used, queries: () => queries }
}

export type OnChains = {
  /** How many lanes each chain has; without it, as many as there are keys. */
  operators?: number
  /** Where the service's log goes. */
  log?: Logger
}

/** The same on chains of its own, each of which it is told of by a chains file as `tell` has it. */
export function useServiceOnChains(
  tell: (chain: ChainConfig) => ChainConfig | Promise<ChainConfig>,
  { operators, log }: OnChains = {},
) {
  return useStarted(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chains-'))
    const devnet = await startDevnet({ dataDir: folder })
    const stop = async () => {
      await devnet.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    try {
      const chains = await Promise.all(devnet.chains.map(tell))
      const operatorKeys = devnet.operatorKeys.slice(0, operators)
      const service = await startTestService(chainsFileOf({ ...devnet, chains, operatorKeys }, folder), log)
      return { ...service, stop: () => service.stop().finally(stop) }
    } catch (error) {
      await stop()
      throw error
    }
  })
}

function useStarted(start: () => Promise<TestService>) {
  let started: TestService | undefined
  let queries: ReturnType<typeof watchQueries> | undefined

  before(async function () {
    this.timeout(60_000)
    started = await start()
    queries = watchQueries(started.database.urgent)
  })
  after(async () => {
    const scans = started?.database.kind === 'sqlite' ? await queries?.scans() : []
    await started?.stop()
    expect(scans, 'what the engine reads whole tables for').to.deep.equal([])
  })

  const service: Omit<TestService, 'stop'> = {
    get url() {
      return started!.url
    },
    get chains() {
      return started!.chains
    },
    get database() {
      return started!.database
    },
  }
  return { service, api: createApi(() => started!.url) }
}
