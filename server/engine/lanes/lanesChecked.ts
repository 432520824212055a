import { settledOrAfter } from '../../concurrency/settledOrAfter.js'

export type LanesChecked = ReturnType<typeof createLanesChecked>

/** For how long after the start of the process credit is held back at most: a chain may be away for days. */
const latestMs = 30_000

/** Chains whose lanes have been compared with the chain since the process started; nothing is signed before. */
export function createLanesChecked(now: () => number = () => performance.now()) {
  const startedAt = now()
  const chains = new Map<number, { isChecked: boolean; told: Promise<void>; tell: () => void }>()

  return {
    add(chainId: number): void {
      const chain = chainOf(chainId)
      chain.isChecked = true
      chain.tell()
    },

    within,

    /**
     * Whether credit may be paid out or given back: the lanes of these chains have been checked, by now or within `ms`,
     * or the process has run for so long that it waits for them no more. (The check may show that the database is older
     * than the chain.)
     */
    async mayMoveCredit(chainIds: Iterable<number>, ms: number): Promise<boolean> {
      if (now() - startedAt >= latestMs) return true
      const checked = await Promise.all([...chainIds].map((chainId) => within(chainId, ms)))
      return checked.every(Boolean)
    },
  }

  /**
   * Whether the lanes of a chain have been checked, by now or within `ms`: as a process starts, steps may be ready
   * before the check is done, and would else come again one by one.
   */
  async function within(chainId: number, ms: number): Promise<boolean> {
    const chain = chainOf(chainId)
    if (!chain.isChecked) await settledOrAfter(chain.told, ms)
    return chain.isChecked
  }

  function chainOf(chainId: number) {
    const known = chains.get(chainId)
    if (known) return known
    let tell = () => undefined as void
    const told = new Promise<void>((resolve) => (tell = resolve))
    const chain = { isChecked: false, told, tell }
    chains.set(chainId, chain)
    return chain
  }
}
