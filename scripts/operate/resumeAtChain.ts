import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import type { Store } from '../../server/store/store.js'

/**
 * Makes a lane active again, from the chain's own nonce on. Transactions of the journal whose nonces something else has
 * used, so that no node knows any of their hashes, are given up, and what they carried is prepared anew.
 */
export async function resumeAtChain(chain: Chain, signer: Address, store: Store): Promise<string> {
  const { chainId } = chain.config
  const [account] = await chain.accounts([signer], 'latest')
  const chainNonce = account!.nonce
  const lost: number[] = []
  for (const { id, hashes } of await store.readUsedUp({ chainId, signer, chainNonce })) {
    // One that is known is settled by the engine.
    if (await chain.areUnknown(hashes)) lost.push(id)
  }
  await store.resumeLane({ chainId, signer, chainNonce, lost }, Date.now())
  return `The lane of ${signer} on chain ${chainId} is active again; ${lost.length} transactions were given up.`
}
