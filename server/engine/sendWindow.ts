import type { Address } from 'viem'

/**
 * So many transactions of a lane are with the nodes at most, from the lowest that is not mined on. Pools keep 16 of an account
 * for sure (geth, reth, erigon) and some refuse more; anvil, with hundreds in its pool, comes to make one empty block after
 * another.
 */
const mostSent = 64

type Numbered = { chainId: number; signer: Address; nonce: number }

type Lane = {
  chainId: number
  signer: Address
  /** As it was last read; it only rises but for reorganisations, after which a few more are sent. */
  lowest: number
  /** Nonces of what is recorded and waits to be sent. */
  held: Set<number>
}

export type SendWindow = ReturnType<typeof createSendWindow>

/**
 * Holds back what a lane has recorded beyond what its nodes are to have at once, until others of it are mined. Nothing of
 * this outlives the process: what is recorded and not sent is found by every watcher after a while.
 */
export function createSendWindow(
  lowestUnmined: (chainId: number, signer: Address) => Promise<number | null>,
  most = mostSent,
) {
  const lanes = new Map<string, Lane>()

  return {
    /** False: it is held, and will be among those that `released` tells. */
    async hasRoom(transaction: Numbered): Promise<boolean> {
      const lane = laneOf(transaction)
      const { nonce } = transaction
      // Where others are held already there is none before a block has come.
      if (!isWithin(lane, nonce) && lane.held.size === 0) await read(lane, nonce)
      if (isWithin(lane, nonce)) lane.held.delete(nonce)
      else lane.held.add(nonce)
      return isWithin(lane, nonce)
    },

    /** Those of the chain for which there is room now; to be called when others may be mined. */
    async released(chainId: number): Promise<Numbered[]> {
      const waiting = [...lanes.values()].filter((lane) => lane.chainId === chainId && lane.held.size > 0)
      await Promise.all(waiting.map((lane) => read(lane, Math.max(...lane.held))))
      return waiting.flatMap((lane) => {
        const nonces = [...lane.held].filter((nonce) => isWithin(lane, nonce)).sort((a, b) => a - b)
        for (const nonce of nonces) lane.held.delete(nonce)
        return nonces.map((nonce) => ({ chainId, signer: lane.signer, nonce }))
      })
    },
  }

  function laneOf({ chainId, signer }: Numbered): Lane {
    const name = `${chainId} ${signer}`
    const known = lanes.get(name)
    if (known) return known
    const lane = { chainId, signer, lowest: 0, held: new Set<number>() }
    lanes.set(name, lane)
    return lane
  }

  /** Where nothing is left unmined, what is recorded has been mined up to this one at least. */
  async function read(lane: Lane, recorded: number): Promise<void> {
    lane.lowest = (await lowestUnmined(lane.chainId, lane.signer)) ?? recorded + 1
  }

  function isWithin({ lowest }: Lane, nonce: number): boolean {
    return nonce < lowest + most
  }
}
