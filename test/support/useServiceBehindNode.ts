import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'
import { type OnChains, useServiceOnChains } from './useTestService.js'

/**
 * A service on chains of its own, as `tell` has them, that reaches the first one through a node which misbehaves when
 * it is told to; it behaves again after each test.
 */
export function useServiceBehindNode(
  tell: (chain: ChainConfig) => ChainConfig | Promise<ChainConfig>,
  options: OnChains = {},
) {
  const nodes = new Map<number, FaultyNode>()
  const used = useServiceOnChains(async (chain) => {
    const told = await tell(chain)
    const node = await startFaultyNode(chain.rpcUrls[0])
    // The chains are told of in no order.
    nodes.set(chain.chainId, node)
    return { ...told, rpcUrls: [node.url] }
  }, options)
  const node = () => nodes.get(used.service.chains[0].chainId)!
  afterEach(() => node().behave({ kind: 'pass' }))
  after(() => Promise.all([...nodes.values()].map((one) => one.stop())))
  return { ...used, node }
}
