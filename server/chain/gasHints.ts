import type { Hex } from 'viem'

/** How many forms of transactions are remembered; the one that was not asked for longest is forgotten. */
const mostForms = 1_000

/**
 * The gas that was enough for a transaction of the same form, which is what calls the same function with as much data. A
 * guess, to be tried before anything is asked that costs the node more: what it is tried on decides whether it is right.
 */
export function createGasHints() {
  const enough = new Map<string, bigint>()
  const formOf = (data: Hex) => `${data.slice(0, 10)}/${data.length}`
  const keep = (form: string, gas: bigint) => {
    enough.delete(form)
    enough.set(form, gas)
    if (enough.size > mostForms) enough.delete(enough.keys().next().value!)
  }

  return {
    note: (data: Hex, gas: bigint): void => keep(formOf(data), gas),

    /** Null: there was none of this form. */
    get(data: Hex): bigint | null {
      const form = formOf(data)
      const gas = enough.get(form) ?? null
      if (gas !== null) keep(form, gas)
      return gas
    },
  }
}

/** Whether so much is not far more than what is used, so that nobody can burn the rest at the signer's cost. */
export function isTight(gas: bigint, used: bigint): boolean {
  return gas <= used + used / 5n + 20_000n
}
