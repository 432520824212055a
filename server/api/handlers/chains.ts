import type { ChainConfig } from '../../domain/chainConfig.js'
import type { Handlers } from '../handlers.js'
import { presentChain } from '../present.js'

/** `chains` don't change while the service runs. */
export function createChainHandlers(chains: Iterable<ChainConfig>): Pick<Handlers, 'listChains'> {
  const listed = [...chains].sort((a, b) => a.chainId - b.chainId).map(presentChain)
  return {
    listChains: async () => ({ status: 200, body: { success: true, data: { chains: listed }, error: null } }),
  }
}
