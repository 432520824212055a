import type { Address } from 'viem'

/**
 * So many transactions of a lane that are not mined are with the nodes at most. Pools keep 16 of an account for sure (geth,
 * reth, erigon) and some refuse more; anvil, with hundreds in its pool, comes to make one empty block after another.
 */
const mostSent = 64

type Numbered = { chainId: number; signer: Address; nonce: number }

type Lane = {
  chainId: number
  signer: Address
  /** Nonces below it may be sent, by what was read last. It only falls by reorganisations, after which a few more are sent. */
  end: number
  /** Nonces of what is recorded and waits to be sent. */
  held: Set<number>
  /** What reads it now, for all who want to know. */
  reading: Promise<void> | null
}

export type SendWindow = ReturnType<typeof createSendWindow>

/**
 * Holds back what a lane has recorded beyond what its nodes are to have at once, until others of it are mined. Those are
 * counted: one that never is, as where something else has used its nonce, takes a place and does not hold the others up.
 * Nothing of this outlives the process: what is recorded and not sent is found by every watcher after a while.
 * `unmined`: the lowest nonces of a lane that are not known to be mined, so many at most.
 */
export function createSendWindow(
  unmined: (chainId: number, signer: Address, most: number) => Promise<number[]>,
  most = mostSent,
) {
  const lanes = new Map<string, Lane>()

  return {
    /** False: it is held, and will be among those that `released` tells. */
    async hasRoom({ nonce, ...place }: Numbered): Promise<boolean> {
      const lane = laneOf(place)
      // Held before it is read, so that whoever looks meanwhile sees it, and none is let past a lower one.
      const isFirst = lane.held.size === 0
      if (nonce >= lane.end) lane.held.add(nonce)
      if (nonce >= lane.end && (isFirst || lane.reading)) await read(lane)
      if (nonce >= lane.end) return false
      lane.held.delete(nonce)
      return true
    },

    /** Whether it waits here for others to be mined. */
    holds({ nonce, ...place }: Numbered): boolean {
      return laneOf(place).held.has(nonce)
    },

    /** Those of the chain for which there is room now; to be called when others may be mined. */
    async released(chainId: number): Promise<Numbered[]> {
      const waiting = [...lanes.values()].filter((lane) => lane.chainId === chainId && lane.held.size > 0)
      await Promise.all(waiting.map(read))
      return waiting.flatMap(({ signer, end, held }) => {
        const nonces = [...held].filter((nonce) => nonce < end).sort((a, b) => a - b)
        for (const nonce of nonces) held.delete(nonce)
        return nonces.map((nonce) => ({ chainId, signer, nonce }))
      })
    },
  }

  function laneOf({ chainId, signer }: Omit<Numbered, 'nonce'>): Lane {
    const name = `${chainId} ${signer}`
    const known = lanes.get(name)
    if (known) return known
    const lane = { chainId, signer, end: 0, held: new Set<number>(), reading: null }
    lanes.set(name, lane)
    return lane
  }

  function read(lane: Lane): Promise<void> {
    lane.reading ??= readOnce(lane).finally(() => (lane.reading = null))
    return lane.reading
  }

  async function readOnce(lane: Lane): Promise<void> {
    const nonces = await unmined(lane.chainId, lane.signer, most + 1)
    const first = nonces[most]
    // What is recorded from now on follows on what is.
    const last = Math.max(...nonces, ...lane.held)
    lane.end = first ?? last + 1 + most - nonces.length
  }
}
