import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { agreedNonce, commonNonce, highestNonce, nonceByNode } from '../../server/domain/toldNonce.js'
import type { Store } from '../../server/store/store.js'

/**
 * Makes a lane active again, from the chain's own nonce on, or paused as it was before the chain was ahead.
 * Transactions of the journal whose nonces something else has used, so that no node knows any of their hashes, are
 * given up, and what they carried is prepared anew.
 */
export async function resumeAtChain(chain: Chain, signer: Address, store: Store): Promise<string> {
  const { chainId } = chain.config
  const chainNonce = await agreedByAll(chain, signer)
  await requireNothingUnknown(chain, signer, { store, chainNonce })
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

/**
 * The nonce that every node tells: one that is too high could never be taken back, and one
 * too low is found ahead at once.
 */
async function agreedByAll(chain: Chain, signer: Address): Promise<number> {
  const { chainId, agreement } = chain.config
  const [told] = await chain.nonces([signer], 'latest')
  const nonce = commonNonce(told!)
  if (nonce !== null && agreedNonce(told!, agreement) !== null) return nonce
  const wrong =
    nonce === null
      ? 'The nodes differ: run this again in a moment, and take a node that stays apart out of rpcUrls.'
      : `Fewer than agreement (${agreement}) answer: see to the others, and run this again.`
  throw new Error(`The nodes of chain ${chainId} tell the nonce of ${signer}: ${nonceByNode(told!)}. ${wrong}`)
}

/** What waits in a node's pool and the journal does not have may pay yet, and would be ahead of the lane at once. */
async function requireNothingUnknown(
  chain: Chain,
  signer: Address,
  { store, chainNonce }: { store: Store; chainNonce: number },
): Promise<void> {
  const { chainId } = chain.config
  const [told] = await chain.nonces([signer], 'pending')
  const { nonce: pending, node } = highestNonce(told!)
  const lane = (await store.readLanes(chainId)).find((entry) => entry.signer === signer)
  if (!lane || pending <= Math.max(chainNonce, lane.nextNonce)) return
  throw new Error(
    `A transaction of ${signer} with nonce ${pending - 1}, which the journal does not have, waits in the pool of rpcUrls/${node} ` +
      `of chain ${chainId}, and may pay yet. Once it is mined, or the nodes have dropped it, see what it has paid by ` +
      '`npm run reconcile`, then run this again.',
  )
}
