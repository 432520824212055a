import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import type { Store } from '../../server/store/store.js'

/**
 * Makes a lane active again, from the chain's own nonce on, or paused as it was before the chain was ahead. Transactions of
 * the journal whose nonces something else has used, so that no node knows any of their hashes, are given up, and what they
 * carried is prepared anew.
 */
export async function resumeAtChain(chain: Chain, signer: Address, store: Store): Promise<string> {
  const { chainId } = chain.config
  // By the same nodes as the check, which would else find it ahead at once.
  const [nonce] = await chain.highestNonces([signer], 'latest')
  const chainNonce = nonce!
  const lost: number[] = []
  for (const { id, hashes } of await store.readUsedUp({ chainId, signer, chainNonce })) {
    // One that is known is settled by the engine.
    if (await chain.areUnknown(hashes)) lost.push(id)
  }
  const status = await store.resumeLane({ chainId, signer, chainNonce, lost }, Date.now())
  const state =
    status === 'active' ? 'active again' : 'paused as it was, and holds no payouts; resume it once more to use it'
  return `The lane of ${signer} on chain ${chainId} is ${state}; ${lost.length} transactions were given up.`
}
