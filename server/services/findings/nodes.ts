import type { ChainState, Finding } from './chainState.js'

export function chainDown({ config, head, nodes }: ChainState): Finding[] {
  if (head !== null) return []
  const { chainId } = config
  const faults = [...new Set(nodes.flatMap(({ fault }) => fault ?? []))].join('; ')
  const remedy = 'See to the nodes in the chain’s rpcUrls, or name others. Steps wait and nothing is lost.'
  return [
    {
      code: 'chain_down',
      chainId,
      message: `No node of chain ${chainId} gives a usable answer${faults && `: ${faults}`}.`,
      remedy,
    },
  ]
}

export function faultyNodes({ config, head, nodes }: ChainState): Finding[] {
  if (head === null) return []
  const { chainId } = config
  return nodes.flatMap(({ behind, fault }, index): Finding[] => {
    const name = `The node at rpcUrls[${index}] of chain ${chainId}`
    if (behind === null) {
      const remedy = 'See to the node at that place, from 0; the others are asked meanwhile.'
      const message = `${name} gives no usable answer${fault === null ? '.' : `: ${fault}.`}`
      return [{ code: 'node_down', chainId, message, remedy }]
    }
    if (behind === 0) return []
    const remedy = 'See to the node at that place, from 0, or take it out; the others are asked before it meanwhile.'
    return [{ code: 'node_lagging', chainId, message: `${name} is ${behind} blocks behind.`, remedy }]
  })
}
