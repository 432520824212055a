import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { highestNonce } from '../../domain/toldNonce.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import { isToBeCancelled } from './replace.js'
import { formToSend } from './send.js'
import type { EngineTools } from '../tools.js'

/** A transaction that was sent so long before a block was made could have been in it. */
const passedOverMs = 250
/** How long pools are not asked again: blocks may come faster than that is needed. */
const restMs = 400
/** For how long a transaction is not handed out again after an ambiguous answer. */
const unansweredMs = 10_000

/**
 * Nodes may drop transactions that a full block leaves over (anvil: all with a lower gas limit than the first that did
 * not fit), and then a lane stands still until the one that it waits for is sent again. So when a new block could have
 * taken the lowest nonce of a lane and has not, the nodes are asked up to which nonce they have all of the lane. They
 * are handed the next one, and those after it for as long as they turn out not to have had them. Some nodes don't count
 * their pool: those are handed the lowest. Whatever they answer, the time at which a transaction is due by itself stays
 * as it was. Nobody waits for the answers, which may take as long as the slowest node.
 */
export function createLeftOverCheck(chain: Chain, tools: Pick<EngineTools, 'signers' | 'log' | 'store'>) {
  const { chainId } = chain.config
  /** By lane that is to be checked: a moment, in unix ms, after which the newest block was made. */
  const due = new Map<Address, number>()
  let lastAt = -Infinity
  /**
   * By lane: the last nonce that was handed out. It is not handed out again for each block; after an ambiguous answer
   * it is, from `until` on.
   */
  const handed = new Map<Address, { nonce: number; until: number }>()
  /** Lanes that are being checked. */
  const underWay = new Map<Address, Promise<void>>()
  let stopped = false

  return {
    /** Says that there is a new block, which was not there yet at the moment `after`, in unix ms. */
    blockSeen({ after }: { after: number }): void {
      for (const signer of tools.signers.keys()) due.set(signer, after)
    },
    /** To be called in every round, once it is noted what the new blocks have taken. */
    check(): void {
      const now = performance.now()
      if (due.size === 0 || now - lastAt < restMs) return
      lastAt = now
      for (const [signer, madeAfter] of due) {
        if (underWay.has(signer)) continue
        due.delete(signer)
        // Counted from when the block was not there yet, however late it was seen: it has not left over what may have
        // been sent after it.
        const checked = checkLane(signer, madeAfter - passedOverMs)
          .catch((error: unknown) => tools.log.warn({ err: error, chainId, signer }, 'lane was not checked'))
          .finally(() => underWay.delete(signer))
        underWay.set(signer, checked)
      }
    },
    async stop(): Promise<void> {
      stopped = true
      await Promise.all(underWay.values())
    },
  }

  async function checkLane(signer: Address, sentBefore: number): Promise<void> {
    const lowest = await tools.store.lowestUnminedNonce(chainId, signer)
    const passedOver = lowest === null ? null : await readSent(signer, lowest)
    if (!passedOver || passedOver.sentAt >= sentBefore) return
    let nonce = await firstMissing(signer, passedOver.nonce)
    const dropped: number[] = []
    while (!stopped) {
      const missing = await readSent(signer, nonce)
      if (!missing || wasHanded(signer, nonce)) break
      const { kind } = await chain.send(formToSend(missing))
      handed.set(signer, { nonce, until: kind === 'ambiguous' ? performance.now() + unansweredMs : Infinity })
      if (kind === 'accepted') dropped.push(nonce++)
      else if (kind === 'known') nonce = await firstMissing(signer, nonce)
      else break
    }
    if (dropped.length > 0) {
      tools.log.info({ chainId, signer, dropped }, 'a node had dropped what a block left over; it is sent again')
    }
  }

  /**
   * The transaction at a nonce of the lane that nodes are to have. Null: it is mined, or no node has answered its send
   * yet, or it is to be cancelled once it is due.
   */
  async function readSent(signer: Address, nonce: number): Promise<(JournalTransaction & { sentAt: number }) | null> {
    const transaction = await tools.store.readUnmined({ chainId, signer, nonce })
    if (!transaction || transaction.sentAt === null || isToBeCancelled(transaction)) return null
    return { ...transaction, sentAt: transaction.sentAt }
  }

  /** The lowest nonce, from this one on, that no node has, as far as nodes tell. */
  async function firstMissing(signer: Address, from: number): Promise<number> {
    const told = await chain.nonces([signer], 'pending').catch(() => [])
    return Math.max(from, ...told.map((nonce) => highestNonce(nonce).nonce))
  }

  function wasHanded(signer: Address, nonce: number): boolean {
    const last = handed.get(signer)
    return last?.nonce === nonce && performance.now() < last.until
  }
}
