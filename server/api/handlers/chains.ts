import type { Settings } from '../../domain/settings.js'
import type { Handlers } from '../handlerTypes.js'
import { presentChain } from '../present.js'

/** The list is made once, as the configuration doesn't change while the service runs. */
export function createChainHandlers(settings: Settings): Pick<Handlers, 'listChains'> {
  const sorted = [...settings.chains.values()].sort((a, b) => a.chainId - b.chainId)
  const listed = sorted.map((chain) => presentChain(chain, settings))
  return {
    listChains: async () => ({ status: 200, body: { success: true, data: { chains: listed }, error: null } }),
  }
}
