import { keccak256, stringToHex } from 'viem'

/** Choices that a seed repeats. */
export type Random = {
  /** From 0 up to 1, without 1. */
  next(): number
  /** A whole number from 0 up to the limit, without it. */
  below(limit: number): number
  pick<T>(items: readonly T[]): T
  /** True in that share of the cases. */
  chance(share: number): boolean
}

/** mulberry32: small, seeded, good enough to choose with. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    pick: (items) => items[Math.floor(next() * items.length)]!,
    chance: (share) => next() < share,
  }
}

/** Choices about one thing, which do not depend on what else was chosen before. */
export function randomOf(seed: number, subject: string): Random {
  return createRandom(Number.parseInt(keccak256(stringToHex(`${seed}:${subject}`)).slice(2, 10), 16))
}
