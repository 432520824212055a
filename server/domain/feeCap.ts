import type { ChainConfig } from './chainConfig.js'

/**
 * By how much a replacement at the same nonce raises both fees, in thousandths: more than the tenth that nodes ask for,
 * whatever they round.
 */
export const raisedTo = 1_125n

/**
 * The highest fee per gas of transactions that carry steps, in wei. One that no node takes any more, such as one whose
 * user has used up the nonce of his authorization, has to be cancelled at its nonce, or its lane stands still for good;
 * and that costs one raise, which is kept free below `maxFeePerGasCap`.
 */
export function stepFeeCap({ maxFeePerGasCap }: Pick<ChainConfig, 'maxFeePerGasCap'>): bigint {
  return (maxFeePerGasCap * 1_000n) / raisedTo
}
