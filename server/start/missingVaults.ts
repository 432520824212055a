import type { Logger } from 'pino'
import { getAddress } from 'viem'
import type { Chain } from '../chain/chain.js'
import { vaultsOf } from '../domain/chainConfig.js'
import type { Database } from '../store/connection/database.js'
import { readKnownContracts } from '../store/knownContracts.js'
import { ConfigurationRefused } from './knownDeployment.js'

/**
 * Throws `ConfigurationRefused` where the chains file names a vault, for the first time, at whose address there is none, as
 * before it is deployed or after a slip: once it is remembered it is asked for what it has paid for good, and never answers.
 * As many nodes have to tell so as the chain's `agreement` asks for, and none the contrary.
 */
export async function refuseMissingVaults(
  chains: ReadonlyMap<number, Chain>,
  database: Database,
  log: Logger,
): Promise<void> {
  const known = await readKnownContracts(database)
  const missing = await Promise.all(
    [...chains.values()].map((chain) => {
      const isKnown = (address: string) =>
        known.some((one) => one.kind === 'vault' && one.chainId === chain.config.chainId && one.address === address)
      return missingOf(
        chain,
        vaultsOf(chain.config).filter((address) => !isKnown(address)),
        log,
      )
    }),
  )
  const problems = missing.flat()
  if (problems.length > 0) throw new ConfigurationRefused(problems.map((what) => `CHAINS_FILE: ${what}`).join('\n'))
}

async function missingOf(chain: Chain, fresh: ReturnType<typeof vaultsOf>, log: Logger): Promise<string[]> {
  if (fresh.length === 0) return []
  const { chainId, agreement } = chain.config
  try {
    const first = await chain.areVaults(fresh)
    // A node that lags does not have it yet, and too few that say so may be too few that have answered.
    const told = first.some(isUndecided) ? await chain.areVaults(fresh, { waits: true }) : first
    return fresh.flatMap((address, index) => {
      const byNode = told[index]!
      const nodes = byNode.flatMap((isThere, node) => (isThere === false ? [`rpcUrls/${node}`] : []))
      if (nodes.length === 0 || byNode.includes(true)) return []
      if (nodes.length < agreement) {
        log.warn({ chainId, vault: address, nodes }, 'too few nodes tell whether there is a vault')
        return []
      }
      const who = nodes.join(', ')
      return `there is no vault at ${getAddress(address)} on chain ${chainId} (${who}): deploy it (npm run deploy), correct it, or take out a node that is wrong`
    })
  } catch (error) {
    log.warn({ err: error, chainId }, 'whether the vaults are there was not found out')
    return []
  }
}

/** Some say that it is not there, none that it is, and some have said nothing. */
function isUndecided(byNode: readonly (boolean | null)[]): boolean {
  return byNode.includes(false) && !byNode.includes(true) && byNode.includes(null)
}
