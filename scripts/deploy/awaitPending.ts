import { setTimeout } from 'node:timers/promises'
import type { Address, PublicClient } from 'viem'
import type { ChainConfig } from '../../server/domain/chainConfig.js'

/**
 * Gives what is pending of the deployer, as from a run that was broken off, the chain's `replaceAfterMs` to be mined. True: some
 * of it was, so that there may be less to do.
 */
export async function awaitPending(
  { chainId, replaceAfterMs }: ChainConfig,
  reader: PublicClient,
  deployer: Address,
  say: (line: string) => void,
): Promise<boolean> {
  const first = await noncesOf(reader, deployer)
  if (first.pending <= first.latest) return false
  const what = `${deployer} has ${first.pending - first.latest} pending, from nonce ${first.latest} on`
  say(`${chainId}: ${what}; what is not mined within ${replaceAfterMs / 1_000} s is replaced`)
  const until = performance.now() + replaceAfterMs
  let last = first
  while (last.pending > last.latest && performance.now() < until) {
    await setTimeout(reader.pollingInterval)
    last = await noncesOf(reader, deployer)
  }
  return last.latest > first.latest
}

/** The next nonce by the newest block, and by what the node holds besides. */
export async function noncesOf(reader: PublicClient, address: Address): Promise<{ latest: number; pending: number }> {
  const [latest, pending] = await Promise.all(
    (['latest', 'pending'] as const).map((blockTag) => reader.getTransactionCount({ address, blockTag })),
  )
  return { latest: latest!, pending: pending! }
}
