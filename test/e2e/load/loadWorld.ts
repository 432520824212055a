import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, type Hex, keccak256, type PrivateKeyAccount, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rpc } from '../../../server/devnet/anvil.js'
import { startDevnet } from '../../../server/devnet/devnet.js'
import type { ChainConfig } from '../../../server/domain/chainConfig.js'
import { createDatabase, type Database } from '../../../server/store/connection/database.js'
import { killProcess, startProcess } from '../../chaos/processes.js'
import { chainsFileOf } from '../../support/chainsFile.js'
import { migratedSchema } from '../../support/mysqlSchemas.js'
import { freePort } from '../../support/freePort.js'
import { tokenOf } from '../../support/wallets.js'

/** LOAD_USERS, LOAD_ACTIONS, LOAD_CONNECTIONS and LOAD_SEED make a run larger or another one; a seed repeats a run. */
export const load = {
  users: Number(process.env.LOAD_USERS ?? 40),
  actions: Number(process.env.LOAD_ACTIONS ?? 100),
  /** How many clients there are at once; each has several requests open at times. */
  connections: Number(process.env.LOAD_CONNECTIONS ?? 48),
  seed: Number(process.env.LOAD_SEED ?? 20260101),
}

export type LoadWorld = Awaited<ReturnType<typeof startLoadWorld>>

/** One for all tests of a suite; it is there once they begin. */
export function useLoadWorld(): LoadWorld {
  const world = {} as LoadWorld
  let started: LoadWorld | null = null

  before(async function () {
    this.timeout(120_000)
    started = await startLoadWorld()
    Object.assign(world, started)
  })
  after(async function () {
    this.timeout(60_000)
    await started?.stop()
  })
  return world
}

/** Contracts that users may call, whatever comes of it. */
export const contracts = {
  /** Uses up all the gas that it gets, by an invalid opcode. */
  burner: '0x00000000000000000000000000000000000b0001',
  /** The same, by going round for ever. */
  loop: '0x00000000000000000000000000000000000b0002',
  /** Does nothing while it is free of charge, as in simulations; burns all gas once it is paid for. */
  turncoat: '0x00000000000000000000000000000000000b0003',
  /** Goes round as often as it is told, which takes 26 gas each time. */
  hungry: '0x00000000000000000000000000000000000b0004',
} as const satisfies Record<string, Address>

const codes: Record<keyof typeof contracts, Hex> = {
  burner: '0xfe',
  loop: '0x5b600056',
  turncoat: '0x3a600557005bfe',
  hungry: ('0x5f355b6001900380600257' + '00') as Hex,
}

/** Two local chains and the service as operators run it, in a process of its own, on the database under test. */
async function startLoadWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'load-'))
  const devnet = await startDevnet({ dataDir: folder })
  const chains = devnet.chains as [ChainConfig, ChainConfig]
  for (const { rpcUrls } of chains) {
    for (const [name, address] of Object.entries(contracts)) {
      await rpc(rpcUrls[0]!, 'anvil_setCode', [address, codes[name as keyof typeof contracts]])
    }
  }
  const mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
  const file = join(folder, 'load.sqlite')
  const metricsPort = await freePort()
  const service = await startProcess({
    ...chainsFileOf(devnet, folder),
    DATABASE_URL: mysql?.url ?? `sqlite:${file}`,
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'error',
    ...(process.env.BUNDLE_MAX_STEPS && { BUNDLE_MAX_STEPS: process.env.BUNDLE_MAX_STEPS }),
  })
  let database: Database | null = null

  return {
    url: service.url,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    chains,
    /** What the service wrote to its log. */
    output: service.output,

    /** Ends the service in order; how it ended, and its database, which nobody else has now. */
    async close(): Promise<{ code: number | null; database: Database }> {
      service.child.kill('SIGTERM')
      await service.ended
      database = createDatabase(mysql ? { kind: 'mysql', url: mysql.url } : { kind: 'sqlite', file })
      await database.migrate()
      return { code: service.child.exitCode, database }
    },

    async stop(): Promise<void> {
      if (service.child.exitCode === null) await killProcess(service)
      await database?.close()
      await devnet.stop()
      await mysql?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The same user for the same seed and name. */
export function userOf(name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(stringToHex(`${load.seed}:${name}`)))
}

/** A fresh address for the same seed and name; nobody has its key. */
export function addressOf(name: string): Address {
  return keccak256(stringToHex(`${load.seed}:address:${name}`)).slice(0, 42) as Address
}

export function usdOf(world: Pick<LoadWorld, 'chains'>, chainIndex: 0 | 1): Address {
  return tokenOf(world.chains[chainIndex], 'usd').address
}

/** Cents of the dollar token; its decimals differ between the chains. */
export function units(world: Pick<LoadWorld, 'chains'>, chainIndex: 0 | 1, cents: number): bigint {
  return BigInt(cents) * 10n ** BigInt(tokenOf(world.chains[chainIndex], 'usd').decimals - 2)
}
