import { join } from 'node:path'
import type { Config } from '../../server/config/config.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { databasePlace } from '../../server/store/connection/databasePlace.js'

/**
 * Which database and chains a tool looks at, in a line without credentials: what it then says is true of nothing else.
 */
export function describePlace({ database, deployment, dataDir }: Config): string {
  return `Looking at ${databasePlace(database)} and ${describeChains(deployment?.chains ?? null, dataDir)}`
}

/** Null: the embedded ones. */
export function describeChains(chains: readonly ChainConfig[] | null, dataDir: string): string {
  return chains
    ? `chains ${chains.map(({ chainId, name }) => `${chainId} ${name}`).join(', ')}`
    : `the embedded development chains in ${join(dataDir, 'chains')}`
}

/**
 * Throws where the environment names no place at all: a tool in a shell without the service's variables would find
 * the embedded defaults in perfect order, and say so of what was meant.
 */
export function refuseNoPlace(env: NodeJS.ProcessEnv, embedded: boolean): void {
  refuseBothChains(env, embedded)
  if (embedded || env.CHAINS_FILE || env.DATABASE_URL || env.DATA_DIR) return
  throw new Error(
    "Neither CHAINS_FILE nor DATABASE_URL nor DATA_DIR is set, so this is not the service's environment. Set them as the " +
      'service has them, or add --embedded to look at the embedded defaults in .data.',
  )
}

/** The same for what is of the chains alone, whatever else the environment names. */
export function refuseNoChains(env: NodeJS.ProcessEnv, embedded: boolean): void {
  refuseBothChains(env, embedded)
  if (embedded || env.CHAINS_FILE) return
  throw new Error(
    'CHAINS_FILE is not set: have it name the chains file of the service, or add --embedded to look at the embedded chains.',
  )
}

function refuseBothChains(env: NodeJS.ProcessEnv, embedded: boolean): void {
  if (!embedded || !env.CHAINS_FILE) return
  throw new Error('--embedded asks for the embedded development chains, and CHAINS_FILE names others; leave out one.')
}
