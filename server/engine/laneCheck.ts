import type { Address } from 'viem'
import type { Chain } from '../chain/chain.js'
import type { Lane } from '../store/lanes.js'
import { fillGap } from './lanes.js'
import type { EngineTools } from './tools.js'

const checkEveryMs = 30_000

/**
 * Holds the lanes' nonces against the chain's: when the process starts, before anything is signed, and now and then.
 * Ahead of the journal: something else uses the key, or the database is older than the chain; the lane is paused.
 * Behind all that is open: a nonce that the journal never had is missing (it belonged to a transaction that was pending
 * when the lane was opened, and was dropped since); when that lasts, it is filled by a transaction that does nothing.
 */
export function createLaneCheck(chain: Chain, tools: EngineTools) {
  const { chainId } = chain.config
  let isOpen = false
  let checkedAt = -Infinity
  /** By signer: the missing nonce that the last check saw. */
  const missing = new Map<Address, number>()

  return {
    /** A key that the journal does not know yet begins where the chain has it. */
    async open(): Promise<void> {
      if (isOpen) return
      const known = await tools.store.readLanes(chainId)
      const fresh = [...tools.signers.keys()].filter((signer) => !known.some((lane) => lane.signer === signer))
      const accounts = await chain.accounts(fresh, 'pending')
      for (const [index, signer] of fresh.entries()) {
        await tools.store.openLane({ chainId, signer, chainNonce: accounts[index]!.nonce }, tools.now())
      }
      await checkAll()
      isOpen = true
      tools.lanesChecked.add(chainId)
      tools.wake()
    },

    async check(): Promise<void> {
      if (tools.now() - checkedAt >= checkEveryMs) await checkAll()
    },
  }

  async function checkAll(): Promise<void> {
    checkedAt = tools.now()
    const lanes = (await tools.store.readLanes(chainId)).filter(
      (lane) => lane.status === 'active' && tools.signers.has(lane.signer),
    )
    const accounts = await chain.accounts(
      lanes.map((lane) => lane.signer),
      'latest',
    )
    // Read after the chain's answer, so that a nonce taken meanwhile is not mistaken for drift.
    const current = await tools.store.readLanes(chainId)
    for (const [index, { signer }] of lanes.entries()) {
      const lane = current.find((entry) => entry.signer === signer)!
      const chainNonce = accounts[index]!.nonce
      if (chainNonce > lane.nextNonce) await pause(lane, chainNonce)
      else await lookForGap(lane, chainNonce)
    }
  }

  async function pause({ signer, nextNonce }: Lane, chainNonce: number): Promise<void> {
    const reason =
      `The chain's nonce ${chainNonce} is ahead of the journal's ${nextNonce}: ` +
      'something else uses this key, or the database is older than the chain.'
    // Unless the lane has moved on since it was read, be it on another node of the database.
    const isPaused = await tools.store.pauseLane({ chainId, signer, reason, seenNonce: nextNonce }, tools.now())
    if (isPaused) tools.log.error({ chainId, signer, chainNonce, journalNonce: nextNonce }, 'lane paused')
  }

  async function lookForGap({ signer, nextNonce }: Lane, chainNonce: number): Promise<void> {
    const isMissing = chainNonce < nextNonce && !(await tools.store.hasNonce(chainId, signer, chainNonce))
    // Seen once it may be a node that lags; what is filled in error is refused by the chain and harms nothing.
    if (isMissing && missing.get(signer) === chainNonce) await fillGap(chain, signer, chainNonce, tools)
    if (isMissing) missing.set(signer, chainNonce)
    else missing.delete(signer)
  }
}
