import type { Hash } from 'viem'
import type { Chain } from './chain/chain.js'
import type { Store } from './store/store.js'

/** Chains that were reset underneath, or swapped for others, make what the database knows of them wrong. */
export class ChainReset extends Error {
  override readonly name = 'ChainReset'
}

/** Which chain each chain id stands for: the one whose first block the database was made with. */
export function createKnownChains(store: Pick<Store, 'rememberGenesis'>) {
  const known = new Map<number, Hash>()
  const others = new Set<number>()

  return {
    /** Whether it is the chain's first block. The first that any node of it tells is remembered, and is from then on. */
    async isGenesis(chainId: number, hash: Hash): Promise<boolean> {
      const genesis = known.get(chainId) ?? (await store.rememberGenesis(chainId, hash))
      known.set(chainId, genesis)
      if (hash !== genesis) others.add(chainId)
      return hash === genesis
    },

    /**
     * Throws `ChainReset` where all nodes of a chain that answer are of another one. One that does not answer is no other
     * chain: the engine waits for it, and its nodes are asked for their first block when they answer.
     */
    async refuseOthers(chains: ReadonlyMap<number, Chain>): Promise<void> {
      const refused = await Promise.all([...chains].map(([chainId, chain]) => isAnother(chainId, chain)))
      const chainId = [...chains.keys()][refused.indexOf(true)]
      if (chainId === undefined) return
      throw new ChainReset(
        `Chain ${chainId} is not the chain that the database was made with: it was reset, or another one answers. ` +
          'Give the service an empty database (for the embedded chains: another DATA_DIR), or the right chain.',
      )
    },
  }

  async function isAnother(chainId: number, chain: Chain): Promise<boolean> {
    const answers = await chain.head().then(
      () => true,
      () => false,
    )
    return !answers && others.has(chainId)
  }
}
