import type { Hex } from 'viem'

/** How many forms of transactions are remembered; the one that nobody has asked for longest is forgotten. */
const mostForms = 1_000

/** How long an estimate vouches for what came after it. */
const lifetimeMs = 60_000

/** The form of a transaction: those that call the same function with as much data are of one. */
export function formOf(data: Hex): string {
  return `${data.slice(0, 10)}/${data.length}`
}

type Hint = { gas: bigint | null; estimatedAt: number }

/**
 * The gas that was enough for a transaction of the same form. A guess, to be tried before anything is asked that costs
 * the node more: the trial shows whether it is right.
 */
export function createGasHints(now = () => performance.now()) {
  const enough = new Map<string, Hint>()
  const keep = (form: string, hint: Hint) => {
    enough.delete(form)
    enough.set(form, hint)
    if (enough.size > mostForms) enough.delete(enough.keys().next().value!)
  }

  return {
    /** Notes the gas that a node has estimated. */
    note: (data: Hex, gas: bigint): void => keep(formOf(data), { gas, estimatedAt: now() }),

    /** Notes that an estimate has given no hint. What another one has given stays. */
    noteNone(data: Hex): void {
      if (hintOf(data) === undefined) keep(formOf(data), { gas: null, estimatedAt: now() })
    },

    /** Replaces the gas by what was used; that counts for no longer than the last estimate of this form. */
    adjust(data: Hex, gas: bigint): void {
      const form = formOf(data)
      const known = enough.get(form)
      if (known && known.gas !== null) keep(form, { ...known, gas })
    },

    /**
     * Undefined: there was no estimate of this form lately: what a chain charges beside what is run may have risen
     * since. Null: there was one, and it gave no hint.
     */
    get: hintOf,
  }

  function hintOf(data: Hex): bigint | null | undefined {
    const form = formOf(data)
    const known = enough.get(form)
    if (!known || now() - known.estimatedAt > lifetimeMs) return undefined
    keep(form, known)
    return known.gas
  }
}

/** Whether so much is not far more than what is used, so that nobody can burn the rest at the signer's cost. */
export function isTight(gas: bigint, used: bigint): boolean {
  return gas <= used + used / 5n + 20_000n
}

/** Whether an estimate holds nothing but what was run, as far as geth's own error of 1.5 % tells. */
export function isExplained(estimate: bigint, used: bigint): boolean {
  return estimate <= used + used / 50n
}
