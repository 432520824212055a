import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConnection } from 'mysql2/promise'
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { type Mariadb, startMariadb } from '../../scripts/mariadb.js'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { rpc } from '../../server/devnet/anvil.js'
import { startDevnet } from '../../server/devnet/devnet.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { newSchema } from '../support/mysqlSchemas.js'
import { keepDoing } from '../support/pause.js'
import { reader } from '../support/wallets.js'
import { chosenDatabases } from './chosenDatabases.js'

/** Two, so that a transaction is seen mined before it is final, and a kill can fall between. */
const confirmations = 2
const mineEveryMs = 150
/** What a dead process had claimed is due again after this at the latest. */
const leaseMs = 15_000

/** The chains, which all runs share. */
export type KillWorld = {
  chains: [ChainConfig, ChainConfig]
  folder: string
  env: Record<string, string>
  operators: Hex[]
  stop(): Promise<void>
}

/** A run's own database, empty, and what the chains looked like before it. */
export type KillGround = {
  env: Record<string, string>
  /** By `{chainId}:{operator}`. */
  nonces: Map<string, number>
  /**
   * What no ledger explains of each vault's token before the run, by `{chainId}:{token}`:
   * earlier runs had other ledgers.
   */
  unexplained: Map<string, bigint>
  drop(): Promise<void>
}

async function startKillWorld(): Promise<KillWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'kill-points-'))
  const devnet = await startDevnet({ dataDir: join(folder, 'chains') })
  const chains = devnet.chains.map((chain) => ({ ...chain, confirmations })) as [ChainConfig, ChainConfig]
  const miners = chains.map(followWithEmptyBlocks)
  return {
    chains,
    folder,
    env: chainsFileOf({ ...devnet, chains }, folder),
    operators: devnet.operatorKeys.map((key) => privateKeyToAddress(key).toLowerCase() as Hex),
    async stop() {
      await Promise.all(miners.map((miner) => miner.stop()))
      await devnet.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The world of a `describe`, and a MariaDB beside it unless there is one already or none is wanted. */
export function useKillWorld(): () => KillWorld {
  let world: KillWorld
  let mariadb: Mariadb | null = null

  before(async function () {
    this.timeout(120_000)
    if (chosenDatabases.includes('MariaDB') && !process.env.TEST_MYSQL_URL) {
      mariadb = await startMariadb()
      process.env.TEST_MYSQL_URL = mariadb.url
    }
    world = await startKillWorld()
  })
  after(async () => {
    await world.stop()
    if (mariadb) delete process.env.TEST_MYSQL_URL
    await mariadb?.stop()
  })
  return () => world
}

export async function freshGround(world: KillWorld, kind: 'SQLite' | 'MariaDB'): Promise<KillGround> {
  const folder = mkdtempSync(join(world.folder, 'run-'))
  const mysql = kind === 'MariaDB' ? await newSchema() : null
  const databaseUrl = mysql?.url ?? `sqlite:${join(folder, 'service.sqlite')}`
  return {
    env: { ...world.env, DATA_DIR: folder, DATABASE_URL: databaseUrl },
    nonces: await noncesOf(world),
    unexplained: await unexplainedBeforehand(world),
    async drop() {
      await mysql?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function noncesOf(world: KillWorld): Promise<Map<string, number>> {
  const entries = world.chains.flatMap((chain) =>
    world.operators.map(async (operator): Promise<[string, number]> => [
      `${chain.chainId}:${operator}`,
      await reader(chain).getTransactionCount({ address: operator }),
    ]),
  )
  return new Map(await Promise.all(entries))
}

/** What a ledger without an entry leaves unexplained of each vault. */
async function unexplainedBeforehand(world: KillWorld): Promise<Map<string, bigint>> {
  const empty = createDatabase({ kind: 'sqlite', file: ':memory:' })
  try {
    await empty.migrate()
    return await unexplainedBy(empty, world)
  } finally {
    await empty.close()
  }
}

export async function unexplainedBy(database: Database, world: KillWorld): Promise<Map<string, bigint>> {
  const { vaults } = await compareVaults(database, world.chains)
  return new Map(vaults.map((vault) => [`${vault.chainId}:${vault.token.id}`, vault.unexplained]))
}

/** A block with a transaction in it gets an empty one on top a moment later, which makes it final. */
function followWithEmptyBlocks(chain: ChainConfig) {
  const url = chain.rpcUrls[0]!
  let last = ''
  const follow = async () => {
    const head = (await rpc(url, 'eth_getBlockByNumber', ['latest', false])) as { hash: string; transactions: string[] }
    if (head.transactions.length > 0 && head.hash === last) await rpc(url, 'evm_mine', [])
    last = head.hash
  }
  return keepDoing(follow, () => mineEveryMs)
}

/** As if the service came back only when what the dead process had claimed is due again. */
export async function letLeasesEnd(url: string): Promise<void> {
  const updates = ['steps', 'transactions'].map((table) => `UPDATE ${table} SET due_at = due_at - ${leaseMs}`)
  if (url.startsWith('sqlite:')) {
    // In a process of its own: the driver lets go of a file only when its garbage is collected.
    const script = `new (require('better-sqlite3'))(process.argv[1]).exec(${JSON.stringify(updates.join(';'))})`
    await promisify(execFile)(process.execPath, ['-e', script, url.slice('sqlite:'.length)])
    return
  }
  const connection = await createConnection(url)
  for (const update of updates) await connection.query(update)
  await connection.end()
}
