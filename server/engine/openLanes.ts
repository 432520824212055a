import type { Address } from 'viem'
import type { Chain } from '../chain/chain.js'
import { agreedNonce, nonceByNode } from '../domain/toldNonce.js'
import type { EngineTools } from './tools.js'

/**
 * Opens the lanes of keys that the journal does not know yet, at the highest nonce that as many nodes tell or exceed as have
 * to agree: one node alone could have it jam for good. Answers those of which fewer tell, with what each node says.
 * In an empty ledger that of a key which has been used is ahead: the ledger may have been lost, and all that it paid with it.
 * Test chains are made anew all the time.
 */
export async function openLanes(chain: Chain, tools: EngineTools): Promise<Map<Address, string>> {
  const { chainId, agreement, testnet } = chain.config
  const unopened = new Map<Address, string>()
  const known = await tools.store.readLanes(chainId)
  const fresh = [...tools.signers.keys()].filter((signer) => !known.some((lane) => lane.signer === signer))
  if (fresh.length === 0) return unopened
  await tools.store.noteEmptyLedger([...tools.chains.keys()], tools.now())
  const told = await chain.nonces(fresh, 'pending')
  for (const [index, signer] of fresh.entries()) {
    const chainNonce = agreedNonce(told[index]!, agreement)
    if (chainNonce === null) {
      unopened.set(signer, nonceByNode(told[index]!))
      continue
    }
    const heldIfNew = testnet || chainNonce === 0 ? null : usedKey(chainNonce)
    const isHeld = await tools.store.openLane({ chainId, signer, chainNonce, heldIfNew }, tools.now())
    if (isHeld) tools.log.error({ chainId, signer, chainNonce, reason: heldIfNew }, 'lane paused')
  }
  return unopened
}

function usedKey(chainNonce: number): string {
  return (
    `The ledger is empty, and this key has sent ${chainNonce} transactions: the database may have been lost, or be another ` +
    'one. Nothing is paid out on credit, on any chain, until the lane is resumed by who knows that the ledger is meant to be new.'
  )
}
