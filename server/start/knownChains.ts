import type { Hash } from 'viem'
import type { Chain } from '../chain/chain.js'
import type { ChainConfig } from '../domain/chainConfig.js'
import type { Store } from '../store/store.js'

/** Chains that were reset underneath, or swapped for others, make what the database knows of them wrong. */
class ChainReset extends Error {
  override readonly name = 'ChainReset'
}

/**
 * Which chain each chain id stands for: the one whose first block the database was made with. What as many nodes as the
 * chain's `agreement` asks for tell first is remembered; until then no node is of another chain.
 */
export function createKnownChains(
  store: Pick<Store, 'readGenesis' | 'rememberGenesis'>,
  chains: readonly Pick<ChainConfig, 'chainId' | 'agreement'>[],
) {
  const agreement = new Map(chains.map((chain) => [chain.chainId, chain.agreement]))
  const known = new Map<number, Hash>()
  /** What each node has told of a chain that is not known yet. */
  const told = new Map<number, Map<number, Hash>>()
  /** What a start is to break off with where it finds no node of the chain. */
  const faults = new Map<number, unknown>()

  return {
    /** Whether it is the chain's first block. */
    async isGenesis(chainId: number, hash: Hash, node: number): Promise<boolean> {
      try {
        const genesis = known.get(chainId) ?? (await store.readGenesis(chainId)) ?? (await agree(chainId, hash, node))
        if (genesis === null) return true
        known.set(chainId, genesis)
        if (hash !== genesis) faults.set(chainId, chainReset(chainId))
        return hash === genesis
      } catch (error) {
        faults.set(chainId, error)
        throw error
      }
    },

    /**
     * Throws `ChainReset` where all nodes of a chain that answer are of another one, and what the database says where it
     * can't tell which chain it was made with. A node that does not answer is of no other chain: the engine waits for it,
     * and it is asked for its first block when it answers.
     */
    async refuseOthers(opened: ReadonlyMap<number, Chain>): Promise<void> {
      await Promise.all([...opened].map(([chainId, chain]) => refuseAnother(chainId, chain)))
    },
  }

  /** Null: too few have told the same. */
  async function agree(chainId: number, hash: Hash, node: number): Promise<Hash | null> {
    const ofChain = told.get(chainId) ?? new Map<number, Hash>()
    told.set(chainId, ofChain.set(node, hash))
    const same = [...ofChain.values()].filter((other) => other === hash).length
    return same < (agreement.get(chainId) ?? 1) ? null : store.rememberGenesis(chainId, hash)
  }

  async function refuseAnother(chainId: number, chain: Chain): Promise<void> {
    const answers = await chain.head().then(
      () => true,
      () => false,
    )
    if (!answers && faults.has(chainId)) throw faults.get(chainId)
  }
}

function chainReset(chainId: number): ChainReset {
  return new ChainReset(
    `Chain ${chainId} is not the chain that the database was made with: it was reset, or another one answers. ` +
      'Give the service an empty database (for the embedded chains: another DATA_DIR), or the right chain.',
  )
}
