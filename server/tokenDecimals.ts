import type { Logger } from 'pino'
import type { Chain } from './chain/chain.js'
import { nativeToken } from './domain/action.js'
import { ConfigurationRefused } from './knownDeployment.js'

/**
 * Throws `ConfigurationRefused` where a token counts in other decimals than the chains file says: what is paid for it in
 * another token of its group would be wrong by that factor. Tokens of a chain that does not answer, and those that say
 * nothing of it, are taken as the file has them.
 */
export async function refuseOtherDecimals(chains: ReadonlyMap<number, Chain>, log: Logger): Promise<void> {
  const wrong = await Promise.all([...chains.values()].map((chain) => otherDecimals(chain, log)))
  const problems = wrong.flat()
  if (problems.length > 0) throw new ConfigurationRefused(problems.map((what) => `CHAINS_FILE: ${what}`).join('\n'))
}

async function otherDecimals(chain: Chain, log: Logger): Promise<string[]> {
  const { chainId } = chain.config
  const tokens = chain.config.tokens.filter(({ address }) => address !== nativeToken)
  try {
    const told = await chain.decimals(tokens.map(({ address }) => address))
    return tokens.flatMap(({ id, decimals }, index) => {
      const found = told[index] ?? null
      if (found === decimals) return []
      if (found !== null) return `the token "${id}" of chain ${chainId} has ${found} decimals, and not ${decimals}`
      log.warn({ chainId, token: id }, 'the token does not say how many decimals it has')
      return []
    })
  } catch (error) {
    log.warn({ err: error, chainId }, 'the decimals of the tokens were not read')
    return []
  }
}
