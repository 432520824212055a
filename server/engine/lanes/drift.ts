import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { elapsedMs } from '../../domain/elapsed.js'
import { highestNonce } from '../../domain/toldNonce.js'
import type { Lane, LaneAhead } from '../../store/journal/lanes.js'
import type { EngineTools } from '../tools.js'
import { fillGap } from './replace.js'

/** How many looks in a row have to show it. One proves nothing: nodes lag, and receipts come late. */
const timesInARow = 5

/**
 * Compares the lanes' nonces with the highest that a node of the chain tells, and looks for three things:
 * - The chain's nonce is ahead of the journal. Something else uses the key, or the database is older than the chain:
 *   the lane is paused, and no lane pays out on credit, which may be spent already. This is looked for on every lane
 *   but retired ones; the other two only on active lanes whose keys are here.
 * - The chain's nonce is behind all open transactions. The journal never had the missing nonce: it belonged to a
 *   transaction that was pending when the lane was opened, and was dropped since. When that lasts, the nonce is filled
 *   by a transaction that does nothing.
 * - The chain's nonce is ahead of an open transaction, and no node knows any of its hashes. Something else has used its
 *   nonce: when that lasts, the lane is paused, and its steps are carried out by others once an operator resumes it
 *   (`npm run operate`). A transaction that was to fill a missing nonce is given up instead, since that nonce was not
 *   missing.
 */
export function createDriftCheck(chain: Chain, tools: EngineTools) {
  const { chainId } = chain.config
  const missing = new Map<Address, OddNonce>()
  const used = new Map<Address, OddNonce>()
  /** Gaps that are being filled, which may take as long as a signer and the slowest node: nobody waits for it. */
  const filling = new Map<Address, Promise<void>>()

  return {
    async check(): Promise<void> {
      // Also paused lanes, and those whose keys are gone: if the database was put back, they may have paid since it was
      // saved.
      const lanes = (await tools.store.readLanes(chainId)).filter(({ isAhead, isRetired }) => !isAhead && !isRetired)
      const signers = lanes.map(({ signer }) => signer)
      const [latest, pending] = await Promise.all([chain.nonces(signers, 'latest'), chain.nonces(signers, 'pending')])
      // Read after the chain's answers, so that a nonce taken meanwhile is not mistaken for drift.
      const current = await tools.store.readLanes(chainId)
      const seen = lanes.map(({ signer }, index) => ({
        lane: current.find((entry) => entry.signer === signer)!,
        mined: highestNonce(latest[index]!),
        // With what waits in the nodes' pools, which may be mined whenever its fee suffices.
        pending: highestNonce(pending[index]!),
      }))
      const isAhead = ({ lane, mined, pending }: (typeof seen)[number]) =>
        Math.max(mined.nonce, pending.nonce) > lane.nextNonce
      // First the lanes that are ahead, which may have cost money already.
      for (const { lane, mined, pending } of seen.filter(isAhead)) {
        const [{ nonce, node }, withPending] =
          mined.nonce > lane.nextNonce ? [mined, ''] : [pending, ' with what is pending']
        const told = `The chain's nonce${withPending} ${nonce}, as rpcUrls/${node} tells it`
        await noteAhead(lane, { chainNonce: nonce }, `${told}, is ahead of the journal's ${lane.nextNonce}`)
      }
      for (const { lane, mined } of seen.filter((one) => !isAhead(one))) {
        const { signer, status } = lane
        if (status !== 'active' || !tools.signers.has(signer)) continue
        try {
          await lookForStranger(lane, mined.nonce)
          await lookForGap(lane, mined.nonce)
        } catch (error) {
          // The lanes after this one are to be checked all the same.
          tools.log.warn({ err: error, chainId, signer }, 'lane was not checked')
        }
      }
    },

    async stop(): Promise<void> {
      await Promise.all(filling.values())
    },
  }

  async function noteAhead({ signer, nextNonce }: Lane, found: LaneAhead, what: string): Promise<void> {
    const reason =
      `${what}: something else uses this key, or the database is older than the chain. ` +
      'Nothing is paid out on credit, on any chain, until the lane is resumed.'
    // Not stored if the lane has moved on since it was read, be it on another node of the database.
    const isNoted = await tools.store.noteLaneAhead({ chainId, signer, reason, found }, tools.now())
    const context = { chainId, signer, ...found, journalNonce: nextNonce }
    if (isNoted) tools.log.error({ ...context, reason }, 'lane paused')
    else tools.log.warn(context, 'lane not paused: what was found of it does not hold any more')
  }

  async function lookForStranger(lane: Lane, chainNonce: number): Promise<void> {
    const { signer } = lane
    const lowest = await tools.store.lowestUnminedNonce(chainId, signer)
    const isUsed = lowest !== null && lowest < chainNonce
    // As a rule a transaction of ours has used the nonce and its receipt has not been read yet, be it for an outage or
    // a restart.
    if (!lasts(used, signer, isUsed ? lowest : null)) return
    const [transaction] = await tools.store.readUsedUp({ chainId, signer, chainNonce: lowest! + 1 })
    if (!transaction || !(await chain.areUnknown(transaction.hashes))) return
    // A filler: the nonce that the journal never had was not missing, and has been mined after all.
    if (await tools.store.giveUpFiller(transaction.id, tools.now())) {
      tools.log.warn({ chainId, signer, nonce: lowest }, 'a nonce that was to be filled has been used')
      return
    }
    const usedNonce = transaction.nonce
    await noteAhead(lane, { usedNonce }, `Nonce ${usedNonce} was used by a transaction that the journal does not have`)
  }

  async function lookForGap({ signer, nextNonce }: Lane, chainNonce: number): Promise<void> {
    const isMissing = chainNonce < nextNonce && !(await tools.store.standsForNonce(chainId, signer, chainNonce))
    // A gap that was seen a few times only may be that of nodes that lag. A filler that is signed in error is refused
    // by the chain and given up.
    if (!lasts(missing, signer, isMissing ? chainNonce : null)) return
    // A transaction that was given up had not lost this nonce after all: it is opened again, to be cancelled.
    const isReopened = await tools.store.reopenLost({ chainId, signer, nonce: chainNonce }, tools.now())
    if (isReopened || filling.has(signer)) return
    const filled = fillGap(chain, signer, chainNonce, tools)
      .catch((error: unknown) => tools.log.warn({ err: error, chainId, signer }, 'gap was not filled'))
      .finally(() => filling.delete(signer))
    filling.set(signer, filled)
  }

  /**
   * Whether the same nonce has been found so many times in a row and for so long. `nonce` null: nothing was found now.
   */
  function lasts(found: Map<Address, OddNonce>, signer: Address, nonce: number | null): boolean {
    const before = found.get(signer)
    if (nonce === null) {
      found.delete(signer)
      return false
    }
    const finding =
      before?.nonce === nonce ? { ...before, times: before.times + 1 } : { nonce, times: 1, at: tools.now() }
    found.set(signer, finding)
    return finding.times >= timesInARow && elapsedMs(finding.at, tools.now()) >= chain.config.replaceAfterMs
  }
}

/** A nonce that is not as it should be: how often it has been found in a row, and since when. */
type OddNonce = { nonce: number; times: number; at: number }
