import { settledOrAfter } from '../domain/settledOrAfter.js'

export type LanesChecked = ReturnType<typeof createLanesChecked>

/** Chains whose lanes have been held against the chain since the process started; nothing is signed before. */
export function createLanesChecked() {
  const chains = new Map<number, { isChecked: boolean; told: Promise<void>; tell: () => void }>()

  return {
    add(chainId: number): void {
      const chain = chainOf(chainId)
      chain.isChecked = true
      chain.tell()
    },

    /**
     * Whether they have been, at once or within so long: as a process starts, steps may be ready before the check is done,
     * and would else come again one by one.
     */
    async within(chainId: number, ms: number): Promise<boolean> {
      const chain = chainOf(chainId)
      if (!chain.isChecked) await settledOrAfter(chain.told, ms)
      return chain.isChecked
    },
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
