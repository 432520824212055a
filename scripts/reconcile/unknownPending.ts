import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { highestNonce } from '../../server/domain/toldNonce.js'
import type { Database } from '../../server/store/connection/database.js'
import { readLanes } from '../../server/store/journal/lanes.js'

/** What waits in a node's pool and the journal does not have, as after a backup was restored: it may pay yet. */
export type UnknownPending = {
  chainId: number
  signer: Address
  /** The highest. */
  nonce: number
  /** The node that tells, by its place in `rpcUrls`. */
  node: number
}

/**
 * Of all lanes of a chain, also of keys that are not configured any more. What is queued
 * behind a gap, nodes don't count.
 */
export async function findUnknownPending(database: Database, chain: Chain): Promise<UnknownPending[]> {
  const { chainId } = chain.config
  const signers = (await readLanes(database, chainId)).map(({ signer }) => signer)
  const [mined, told] = await Promise.all([chain.nonces(signers, 'latest'), chain.nonces(signers, 'pending')])
  // Read again, since the service may have signed meanwhile: the journal has what it sends before any node.
  const lanes = await readLanes(database, chainId)
  return signers.flatMap((signer, index) => {
    const { nonce, node } = highestNonce(told[index]!)
    const lane = lanes.find((entry) => entry.signer === signer)
    // What is mined may have paid, which shows in the books.
    const known = Math.max(lane?.nextNonce ?? 0, highestNonce(mined[index]!).nonce)
    return nonce > known ? [{ chainId, signer, nonce: nonce - 1, node }] : []
  })
}
