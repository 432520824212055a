import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, type Hash, type Hex, keccak256, type PrivateKeyAccount, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rpc } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { migratedSchema } from '../support/mysqlSchemas.js'
import { keepDoing } from '../support/pause.js'
import { until } from '../support/until.js'
import { type ChaosProxy, type Faults, startChaosProxy } from './chaosProxy.js'
import { randomOf } from '../support/random.js'

/** The seed of a run: CHAOS_SEED repeats one. */
export const seed = Number(process.env.CHAOS_SEED ?? 20260101)

export type WorldOptions = {
  faults: Faults
  /** How many operator keys; each is a lane on each chain. */
  keys?: number
  /** How many nodes each chain seems to have. */
  nodes?: number
  /** What the proxies ask about each transaction before the chain gets it. */
  onSend?: (hash: Hash) => Promise<unknown>
  /** Keeps the database on MySQL whatever TEST_DATABASE says; replicas need it. */
  mysql?: boolean
  /** A database that the caller has made. */
  databaseUrl?: string
}

export type World = Awaited<ReturnType<typeof startWorld>>

/**
 * Two real chains, whose blocks come now and then, behind chaos proxies, and a database: all that services under test
 * need around them.
 */
export async function startWorld(options: WorldOptions) {
  const { faults, keys = 4, nodes = 2 } = options
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'))
  const devnet = await startDevnet({ dataDir: folder })
  const proxies = await Promise.all(
    devnet.chains.map((chain) =>
      startChaosProxy({
        chainId: chain.chainId,
        target: chain.rpcUrls[0]!,
        seed,
        faults,
        nodes,
        ...(options.onSend && { onSend: options.onSend }),
      }),
    ),
  )
  const onMysql = options.mysql || process.env.TEST_DATABASE === 'mysql'
  const mysql = onMysql && !options.databaseUrl ? await migratedSchema() : null
  const miners = await Promise.all(devnet.chains.map(startMiner))
  const behindProxies: Devnet = {
    ...devnet,
    operatorKeys: devnet.operatorKeys.slice(0, keys),
    chains: devnet.chains.map((chain, index) => ({
      ...chain,
      rpcUrls: proxies[index]!.urls,
      publicRpcUrl: null,
      replaceAfterMs: 4_000,
    })),
  }

  return {
    /** As they are, past the proxies. */
    chains: devnet.chains as [ChainConfig, ChainConfig],
    proxies: proxies as [ChaosProxy, ChaosProxy],
    /** The environment of a service that runs in this world. */
    env: {
      ...chainsFileOf(behindProxies, folder),
      DATABASE_URL: options.databaseUrl ?? mysql?.url ?? `sqlite:${join(folder, 'chaos.sqlite')}`,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      ...(process.env.BUNDLE_MAX_STEPS && { BUNDLE_MAX_STEPS: process.env.BUNDLE_MAX_STEPS }),
    },
    async stop(): Promise<void> {
      await Promise.all(miners.map((miner) => miner.stop()))
      await Promise.all(proxies.map((proxy) => proxy.stop()))
      await devnet.stop()
      await mysql?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Blocks at irregular times, so that transactions stay in the pool for a while; none while the pool is empty. */
async function startMiner(chain: ChainConfig) {
  const url = chain.rpcUrls[0]!
  const random = randomOf(seed, `miner:${chain.chainId}`)
  await rpc(url, 'evm_setAutomine', [false])
  const mine = async () => {
    const { pending } = (await rpc(url, 'txpool_status', [])) as { pending: Hex }
    if (Number(pending) > 0 || random.chance(0.05)) await rpc(url, 'evm_mine', [])
  }
  return keepDoing(mine, () => 50 + random.below(250))
}

/** The same user for the same seed and name. */
export function userOf(name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(stringToHex(`${seed}:${name}`)))
}

/** A fresh address for the same seed and name; nobody has its key. */
export function addressOf(name: string): Address {
  return keccak256(stringToHex(`${seed}:address:${name}`)).slice(0, 42) as Address
}

export type Sending = { to: Address; data: Hex }

/**
 * An account's own transactions straight to the chain, all at once, one nonce after the
 * other; returns when all are mined.
 */
export async function sendAll(
  chain: ChainConfig,
  account: Pick<PrivateKeyAccount, 'address' | 'signTransaction'>,
  transactions: readonly Sending[],
): Promise<Hash[]> {
  const url = chain.rpcUrls[0]!
  const first = Number(await rpc(url, 'eth_getTransactionCount', [account.address, 'pending']))
  const hashes: Hash[] = []
  for (const [index, { to, data }] of transactions.entries()) {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: chain.chainId,
      nonce: first + index,
      to,
      data,
      gas: 150_000n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 2_000_000_000n,
    })
    hashes.push((await rpc(url, 'eth_sendRawTransaction', [raw])) as Hash)
  }
  await until(
    async () => {
      const mined = Number(await rpc(url, 'eth_getTransactionCount', [account.address, 'latest']))
      return mined >= first + transactions.length
    },
    'the transactions to be mined',
    60_000,
  )
  return hashes
}
