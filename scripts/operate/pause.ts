import type { Address } from 'viem'
import type { Store } from '../../server/store/store.js'

/** Stops a lane from signing anything new, and says what that means for it. */
export async function pause(lane: { chainId: number; signer: Address; reason: string }, store: Store): Promise<string> {
  const { chainId, signer, reason } = lane
  if (!(await store.pauseLane(lane, Date.now()))) throw new Error(`There is no lane of ${signer} on chain ${chainId}`)
  const paused = (await store.readLanes(chainId)).find((entry) => entry.signer === signer)
  const name = `The lane of ${signer} on chain ${chainId}`
  if (paused?.isRetired) return `${name} is retired for good, and stays so; its reason is now: ${reason}`
  if (paused?.isAhead)
    return `${name} is paused: ${reason}. The chain is ahead of it, so that payouts on credit are held until it is resumed; it is paused then.`
  const open = (await store.countOpenOf(chainId)).get(signer) ?? 0
  return `${name} is paused: ${reason}. It signs nothing new; ${open} open transactions are finished.`
}
