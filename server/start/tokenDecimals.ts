import type { Logger } from 'pino'
import type { Chain } from '../chain/chain.js'
import { nativeToken } from '../domain/action.js'
import { askUntilDecided } from './askUntilDecided.js'
import { ConfigurationRefused } from './configurationRefused.js'

/**
 * Throws `ConfigurationRefused` where a token counts in other decimals than the chains file says: what is paid for
 * it in another token of its group would be wrong by a power of ten. As many nodes have to tell so as the chain's
 * `agreement` asks for, and none the contrary: a node that lies is neither to stop a start, nor to have the file
 * changed to what it says. The file is believed for the tokens of a chain that does not answer, and for tokens
 * that do not tell their decimals.
 */
export async function refuseOtherDecimals(chains: ReadonlyMap<number, Chain>, log: Logger): Promise<void> {
  const wrong = await Promise.all([...chains.values()].map((chain) => otherDecimals(chain, log)))
  const problems = wrong.flat()
  if (problems.length > 0) throw new ConfigurationRefused(problems)
}

async function otherDecimals(chain: Chain, log: Logger): Promise<string[]> {
  const { chainId, agreement } = chain.config
  const tokens = chain.config.tokens.filter(({ address }) => address !== nativeToken)
  try {
    const addresses = tokens.map(({ address }) => address)
    const expected = tokens.map(({ decimals }) => decimals)
    const told = await askUntilDecided(expected, (options) => chain.decimals(addresses, options))
    return tokens.flatMap(({ id, decimals }, index) => {
      const byNode = told[index]!
      const others = byNode.flatMap((number, node) =>
        number === null || number === decimals ? [] : [{ number, node }],
      )
      const context = { chainId, token: id, nodes: others.map(({ number, node }) => `rpcUrls/${node}: ${number}`) }
      if (byNode.every((number) => number === null)) {
        log.warn(context, 'the token does not say how many decimals it has')
      } else if (others.length > 0 && others.length >= agreement && !byNode.includes(decimals)) {
        return `the token "${id}" of chain ${chainId} has ${describe(others)}, and not ${decimals}: correct it, or take out a node that is wrong`
      } else if (others.length > 0) {
        log.warn(context, 'too few nodes tell other decimals of the token than the chains file')
      }
      return []
    })
  } catch (error) {
    log.warn({ err: error, chainId }, 'the decimals of the tokens were not read')
    return []
  }
}

function describe(others: readonly { number: number; node: number }[]): string {
  return others.map(({ number, node }) => `${number} decimals (rpcUrls/${node})`).join(', ')
}
