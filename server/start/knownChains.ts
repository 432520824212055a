import type { Hash } from 'viem'
import type { Chain } from '../chain/chain.js'
import type { ChainConfig } from '../domain/chainConfig.js'
import type { Store } from '../store/store.js'

/** A chain was reset, or another one answers under its id, so that what the database knows of it is wrong. */
class ChainReset extends Error {
  override readonly name = 'ChainReset'
}

/**
 * Which chain each chain id stands for: the one whose first block the database remembers. That is the
 * block that as many nodes as the chain's `agreement` asks for were the first to tell; until then every
 * node is taken to be of the chain.
 */
export function createKnownChains(
  store: Pick<Store, 'readGenesis' | 'rememberGenesis'>,
  chains: readonly Pick<ChainConfig, 'chainId' | 'agreement'>[],
) {
  const agreement = new Map(chains.map((chain) => [chain.chainId, chain.agreement]))
  const known = new Map<number, Hash>()
  /** By chain and node: which first block was told, of chains of which none is remembered yet. */
  const told = new Map<number, Map<number, Hash>>()
  /** By chain: the error to break the start off with where no node of the chain can be used. */
  const faults = new Map<number, unknown>()

  return {
    /** Whether the hash that a node has told is that of the chain's first block. */
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
     * Throws `ChainReset` where all nodes of a chain that answer are of another one, and the database's error where
     * that could not be looked up. Nodes that do not answer are no reason to throw: the engine waits for them, and they
     * are asked for their first block once they answer.
     */
    async refuseOthers(opened: ReadonlyMap<number, Chain>): Promise<void> {
      await Promise.all([...opened].map(([chainId, chain]) => refuseAnother(chainId, chain)))
    },
  }

  /** The chain's first block, remembered from now on. Null: too few nodes have told the same one yet. */
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
