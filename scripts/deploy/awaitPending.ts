import { setTimeout } from 'node:timers/promises'
import type { Address, PublicClient } from 'viem'
import type { ChainPlan } from './planChain.js'
import { takenNonces } from './whyKept.js'

/**
 * Gives what is pending of the deployer, as from a run that was broken off, the chain's `replaceAfterMs` to be
 * mined. Answers how far it has come.
 */
export async function awaitPending(
  plan: ChainPlan,
  reader: PublicClient,
  deployer: Address,
  say: (line: string) => void,
): Promise<{ latest: number; pending: number }> {
  const { chainId, replaceAfterMs } = plan.chain
  const first = await noncesOf(reader, deployer)
  if (first.pending <= first.latest) return first
  const what = `${deployer} has ${first.pending - first.latest} pending, from nonce ${first.latest} on`
  const most = takenNonces(plan, first.pending).length
  say(`${chainId}: ${what}; of what is not mined within ${replaceAfterMs / 1_000} s, ${most} may be replaced at most`)
  const until = performance.now() + replaceAfterMs
  let last = first
  while (last.pending > last.latest && performance.now() < until) {
    await setTimeout(reader.pollingInterval)
    last = await noncesOf(reader, deployer)
  }
  return last
}

/** The next nonce by the newest block, and by what the node holds besides. */
export async function noncesOf(reader: PublicClient, address: Address): Promise<{ latest: number; pending: number }> {
  const [latest, pending] = await Promise.all(
    (['latest', 'pending'] as const).map((blockTag) => reader.getTransactionCount({ address, blockTag })),
  )
  return { latest: latest!, pending: pending! }
}
