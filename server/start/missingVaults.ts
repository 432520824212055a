import type { Logger } from 'pino'
import { type Address, getAddress } from 'viem'
import type { Chain } from '../chain/chain.js'
import { vaultsOf } from '../domain/chainConfig.js'
import type { Database } from '../store/connection/database.js'
import { readKnownAddresses } from '../store/knownAddresses.js'
import { askUntilDecided } from './askUntilDecided.js'
import { ConfigurationRefused } from './configurationRefused.js'

/**
 * Throws `ConfigurationRefused` where the chains file names a vault, for the first time, at whose address there is
 * none, as before it is deployed or after a slip: an address that is once remembered as a vault is asked for its
 * payments from then on, and one without a vault never answers. As many nodes have to tell so as the chain's
 * `agreement` asks for, and none the contrary: a node that lags does not have a new vault yet.
 */
export async function refuseMissingVaults(
  chains: ReadonlyMap<number, Chain>,
  database: Database,
  log: Logger,
): Promise<void> {
  const known = await readKnownAddresses(database)
  const missing = await Promise.all(
    [...chains.values()].map((chain) => {
      const isKnown = (address: string) =>
        known.some((one) => one.kind === 'vault' && one.chainId === chain.config.chainId && one.address === address)
      return findMissing(
        chain,
        vaultsOf(chain.config).filter((address) => !isKnown(address)),
        log,
      )
    }),
  )
  const problems = missing.flat()
  if (problems.length > 0) throw new ConfigurationRefused(problems)
}

/** `fresh`: vaults that the chains file names for the first time. */
async function findMissing(chain: Chain, fresh: readonly Address[], log: Logger): Promise<string[]> {
  if (fresh.length === 0) return []
  const { chainId, agreement } = chain.config
  try {
    const isThere = fresh.map(() => true)
    const told = await askUntilDecided(isThere, (options) => chain.areVaults(fresh, options))
    return fresh.flatMap((address, index) => {
      const byNode = told[index]!
      const nodes = byNode.flatMap((answer, node) => (answer === false ? [`rpcUrls/${node}`] : []))
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
