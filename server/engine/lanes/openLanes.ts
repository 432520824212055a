import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { agreedNonce, highestNonce, nonceByNode, type Unopened } from '../../domain/toldNonce.js'
import type { EngineTools } from '../tools.js'

/**
 * Opens the lanes of keys that the journal does not know yet, each at a nonce that as many nodes tell as have to agree
 * and that no node exceeds. At a nonce that one node alone tells, a lane could jam for good. Below one that another
 * node tells, it would count as ahead at once, which holds payouts everywhere, though that node may only be the one
 * that does not lag. Answers the keys that have to wait.
 * In an empty ledger the lane of a key that has been used counts as ahead: the ledger may have been lost, and all that
 * it paid with it. Not on test chains, which are made anew all the time.
 */
export async function openLanes(
  chain: Chain,
  tools: Pick<EngineTools, 'store' | 'signers' | 'now' | 'log'>,
): Promise<Map<Address, Unopened>> {
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
    // In an empty ledger a used key holds payouts at once, also while some node tells a higher nonce than those that
    // agree.
    const otherwise = why === null ? 'active' : 'unopened'
    const ifLedgerIsNew = testnet || highest === 0 ? null : ({ aheadFor: usedKey(highest), otherwise } as const)
    const mayOpen = agreed !== null && (why === null || ifLedgerIsNew !== null)
    const isAhead = mayOpen && (await open({ chainId, signer, chainNonce: agreed, ifLedgerIsNew }))
    if (why !== null && !isAhead) unopened.set(signer, { why, nodes: nonceByNode(nonces) })
  }
  return unopened

  async function open(lane: Parameters<EngineTools['store']['openLane']>[0]): Promise<boolean> {
    const isAhead = await tools.store.openLane(lane, tools.now())
    const { chainId, signer, chainNonce, ifLedgerIsNew } = lane
    if (isAhead) tools.log.error({ chainId, signer, chainNonce, reason: ifLedgerIsNew?.aheadFor }, 'lane paused')
    return isAhead
  }
}

/** Why the lane of a key can't be opened yet. Null: it can be, at the nonce that is agreed on. */
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
