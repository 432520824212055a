import type { Address } from 'viem'

/**
 * How many unmined transactions of a lane the nodes are sent at most. Pools keep 16 of an account for sure (geth, reth,
 * erigon) and some refuse more; anvil, with hundreds in its pool, comes to make one empty block after another.
 */
const mostSent = 64

type Numbered = { chainId: number; signer: Address; nonce: number }

type Lane = {
  chainId: number
  signer: Address
  /**
   * Nonces below this may be sent, by what was read last. Only a reorganisation lowers it; a few more are sent then,
   * until it is read again.
   */
  end: number
  /** Nonces of what is recorded and waits to be sent. */
  queued: Set<number>
  /** The reading under way, for all who wait for it. */
  reading: Promise<void> | null
}

export type SendWindow = ReturnType<typeof createSendWindow>

/**
 * Queues a lane's recorded transactions while the nodes have as many of the lane as they are to have at once.
 * Unmined ones are counted: one that is never mined, as where something else has used its nonce, takes a place and does
 * not hold the others up. Nothing of this outlives the process: every watcher finds after a while what is recorded and
 * not sent. `unmined`: the lowest nonces of a lane that are not known to be mined, so many at most.
 */
export function createSendWindow(
  unmined: (chainId: number, signer: Address, most: number) => Promise<number[]>,
  most = mostSent,
) {
  const lanes = new Map<string, Lane>()

  return {
    /** True: the transaction may be sent now. False: it is queued, and `takeReleased` returns it later. */
    async admit({ nonce, ...place }: Numbered): Promise<boolean> {
      const lane = laneOf(place)
      // Queued before the lane is read, so that whoever looks meanwhile sees it, and no nonce is let past a lower one.
      const isFirst = lane.queued.size === 0
      if (nonce >= lane.end) lane.queued.add(nonce)
      if (nonce >= lane.end && (isFirst || lane.reading)) await read(lane)
      if (nonce >= lane.end) return false
      lane.queued.delete(nonce)
      return true
    },

    /** Whether the transaction waits here for others to be mined. */
    isQueued({ nonce, ...place }: Numbered): boolean {
      return laneOf(place).queued.has(nonce)
    },

    /** Takes the transactions of a chain for which there is room now from the queue; for when others may be mined. */
    async takeReleased(chainId: number): Promise<Numbered[]> {
      const waiting = [...lanes.values()].filter((lane) => lane.chainId === chainId && lane.queued.size > 0)
      await Promise.all(waiting.map(read))
      return waiting.flatMap(({ signer, end, queued }) => {
        const nonces = [...queued].filter((nonce) => nonce < end).sort((a, b) => a - b)
        for (const nonce of nonces) queued.delete(nonce)
        return nonces.map((nonce) => ({ chainId, signer, nonce }))
      })
    },
  }

  function laneOf({ chainId, signer }: Omit<Numbered, 'nonce'>): Lane {
    const name = `${chainId} ${signer}`
    const known = lanes.get(name)
    if (known) return known
    const lane = { chainId, signer, end: 0, queued: new Set<number>(), reading: null }
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
    // Nonces that are recorded from now on follow on these.
    const last = Math.max(...nonces, ...lane.queued)
    lane.end = first ?? last + 1 + most - nonces.length
  }
}
