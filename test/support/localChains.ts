import type { Address } from 'viem'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Api } from './api.js'

type ToldChain = {
  chainId: number
  rpcUrl: string
  solver: Address
  delegate: Address
  tokens: { id: string; address: Address }[]
}

/** The embedded chains of a service in another process, as `GET /chains` tells them. */
export async function localChains(api: Api): Promise<[ChainConfig, ChainConfig]> {
  const { chains } = (await api.get('/chains')).body.data as { chains: ToldChain[] }
  return chains.map((chain) => ({
    ...chain,
    rpcUrls: [chain.rpcUrl],
    vault: chain.solver,
    delegates: [chain.delegate],
  })) as unknown as [ChainConfig, ChainConfig]
}
