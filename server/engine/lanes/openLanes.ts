import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { agreedNonce, highestNonce, nonceByNode, type Unopened } from '../../domain/toldNonce.js'
import type { EngineTools } from '../tools.js'

/**
 * Opens the lanes of keys that the journal does not know yet, at the nonce that as many nodes tell as have to agree and that
 * none exceeds: by one alone it could jam for good, and below what another tells it would be ahead at once, which holds
 * payouts everywhere, though that node may only be the one that does not lag. Answers those that have to wait.
 * In an empty ledger that of a key which has been used is ahead: the ledger may have been lost, and all that it paid with it.
 * Test chains are made anew all the time.
 */
export async function openLanes(chain: Chain, tools: EngineTools): Promise<Map<Address, Unopened>> {
  const { chainId, agreement, testnet } = chain.config
  const unopened = new Map<Address, Unopened>()
  const known = await tools.store.readLanes(chainId)
  const fresh = [...tools.signers.keys()].filter((signer) => !known.some((lane) => lane.signer === signer))
  if (fresh.length === 0) return unopened
  const told = await chain.nonces(fresh, 'pending')
  for (const [index, signer] of fresh.entries()) {
    const nonces = told[index]!
    const agreed = agreedNonce(nonces, agreement)
    const { nonce: highest } = highestNonce(nonces)
    const why = whyUnopened(agreed, highest)
    // In an empty ledger it holds payouts at once, whatever the nodes have to settle among them.
    const isHeld = agreed !== null && (await open(signer, { agreed, highest, onlyHeld: why !== null }))
    if (why !== null && !isHeld) unopened.set(signer, { why, nodes: nonceByNode(nonces) })
  }
  return unopened

  async function open(
    signer: Address,
    { agreed, highest, onlyHeld }: { agreed: number; highest: number; onlyHeld: boolean },
  ): Promise<boolean> {
    const heldIfNew = testnet || highest === 0 ? null : usedKey(highest)
    const lane = { chainId, signer, chainNonce: agreed, heldIfNew, onlyHeld }
    const isHeld = await tools.store.openLane(lane, tools.now())
    if (isHeld) tools.log.error({ chainId, signer, chainNonce: agreed, reason: heldIfNew }, 'lane paused')
    return isHeld
  }
}

/** Null: it may be opened where they agree. */
function whyUnopened(agreed: number | null, highest: number): string | null {
  if (agreed === null) return 'fewer nodes than have to agree tell the nonce of its key'
  if (agreed < highest) return 'fewer nodes than have to agree tell the highest nonce of its key'
  return null
}

function usedKey(chainNonce: number): string {
  return (
    `The ledger is empty, and this key has sent ${chainNonce} transactions: the database may have been lost, or be another ` +
    'one. Nothing is paid out on credit, on any chain, until the lane is resumed by who knows that the ledger is meant to be new.'
  )
}
