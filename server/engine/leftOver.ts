import type { Address } from 'viem'
import type { Chain } from '../chain/chain.js'
import type { EngineTools } from './tools.js'

/** Sent so long before a block was made, it could have been in it. */
const passedOverMs = 250
/** Blocks may come faster than a pool has to be asked. */
const restMs = 1_000
/** How long a node that has said nothing is not handed the same again. */
const unansweredMs = 10_000

/**
 * Nodes may drop what a full block leaves over (anvil: all with a lower gas limit than the first that did not fit), and then
 * a lane stands still until what it waits for is sent again. So when a new block could have taken the lowest nonce of a
 * lane and has not, the node is handed it once more; if it did not have it, all that was sent behind it is due too.
 * Whatever the node says, when the transaction is looked after for its own sake stays as it was. Nobody waits for the
 * answer, which may take as long as the slowest node.
 */
export function createLeftOverCheck(chain: Chain, tools: EngineTools) {
  const { chainId } = chain.config
  /** After which moment, in unix ms, the newest block was made that a lane is not checked for yet. */
  const due = new Map<Address, number>()
  let lastAt = -Infinity
  /**
   * The last nonce of each lane that a node was handed. Once is enough: what is stuck is not sent again for each block. Of
   * one that said nothing it is not known, and it is handed that again after a while.
   */
  const handed = new Map<Address, { nonce: number; until: number }>()
  /** Lanes that are being checked. */
  const underWay = new Map<Address, Promise<void>>()

  return {
    /** Says that there is a new block, which was not there yet at a moment (in unix ms). */
    blockSeen({ after }: { after: number }): void {
      for (const signer of tools.signers.keys()) due.set(signer, after)
    },
    /** To be called in every round, after what the new blocks have taken is noted. */
    check(): void {
      const now = performance.now()
      if (due.size === 0 || now - lastAt < restMs) return
      lastAt = now
      for (const [signer, madeAfter] of due) {
        if (underWay.has(signer)) continue
        due.delete(signer)
        // However late it was seen and is checked: what may have been sent after it, it has not left over.
        const checked = checkLane(signer, madeAfter - passedOverMs)
          .catch((error: unknown) => tools.log.warn({ err: error, chainId, signer }, 'lane was not checked'))
          .finally(() => underWay.delete(signer))
        underWay.set(signer, checked)
      }
    },
    async stop(): Promise<void> {
      await Promise.all(underWay.values())
    },
  }

  async function checkLane(signer: Address, sentBefore: number): Promise<void> {
    const nonce = await tools.store.lowestUnminedNonce(chainId, signer)
    const last = handed.get(signer)
    if (nonce === null || (last?.nonce === nonce && performance.now() < last.until)) return
    const lowest = await tools.store.readUnmined({ chainId, signer, nonce })
    if (!lowest || lowest.sentAt === null || lowest.sentAt >= sentBefore) return
    const { kind } = await chain.send(lowest.attempts.at(-1)!)
    handed.set(signer, { nonce, until: kind === 'ambiguous' ? performance.now() + unansweredMs : Infinity })
    if (kind !== 'accepted') return
    tools.log.info(
      { chainId, signer, nonce },
      'a node had dropped what a block left over; all of the lane is sent again',
    )
    await tools.store.hurryTransactions({ chainId, signer }, sentBefore, tools.now())
  }
}
