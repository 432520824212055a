/** An account's nonce as the nodes tell it, in the order of `rpcUrls`; null: one does not answer. */
export type ToldNonce = readonly (number | null)[]

/**
 * The highest nonce, and the node that tells it: a node that stands still or lags tells an old one without saying so.
 */
export function highestNonce(told: ToldNonce): { nonce: number; node: number } {
  const nonce = Math.max(...answersOf(told))
  return { nonce, node: told.indexOf(nonce) }
}

/**
 * The highest nonce that so many nodes tell or exceed, so that no node alone can make it too high. Null: fewer answer.
 */
export function agreedNonce(told: ToldNonce, agreement: number): number | null {
  const highestFirst = answersOf(told).sort((a, b) => b - a)
  return highestFirst[Math.max(agreement, 1) - 1] ?? null
}

/** The nonce that all nodes that answer tell. Null: they differ, or none answers. */
export function commonNonce(told: ToldNonce): number | null {
  const [nonce, ...others] = new Set(answersOf(told))
  return nonce === undefined || others.length > 0 ? null : nonce
}

/** For a log or an operator: which node says what. */
export function nonceByNode(told: ToldNonce): string {
  return told.map((nonce, index) => `rpcUrls/${index}: ${nonce ?? 'no answer'}`).join(', ')
}

function answersOf(told: ToldNonce): number[] {
  return told.filter((nonce) => nonce !== null)
}

/** Why a configured key has no lane yet, and what each node tells of its nonce. */
export type Unopened = { why: string; nodes: string }
