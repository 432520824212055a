/** What `Math` has for numbers, for amounts. */

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

export function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

export function greatest(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
