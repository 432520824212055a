import { greatest, least } from '../domain/bigints.js'
import type { ChainConfig } from '../domain/chainConfig.js'
import { raisedTo, stepFeeCap } from '../domain/feeCap.js'

/** In wei per gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

type FeeConfig = Pick<ChainConfig, 'maxFeePerGasCap' | 'priorityFeePerGas'>

/**
 * The fees of a transaction's first form: twice the base fee lasts through six full blocks (each raises it by an eighth
 * at most).
 */
export function initialFees(baseFeePerGas: bigint, config: FeeConfig): Fees {
  return feesUnder(stepFeeCap(config), baseFeePerGas, config)
}

function feesUnder(cap: bigint, baseFeePerGas: bigint, config: FeeConfig): Fees {
  const maxFeePerGas = least(2n * baseFeePerGas + config.priorityFeePerGas, cap)
  return { maxFeePerGas, maxPriorityFeePerGas: least(config.priorityFeePerGas, maxFeePerGas) }
}

/**
 * The fees of a replacement at the same nonce: nodes want both caps raised by at least a tenth over what they hold, and
 * a node may hold any form ever signed, so the highest of all counts. Null when that would go beyond what a form may
 * offer: for a cancel the chain's cap, for what carries steps somewhat less, so that it can still be cancelled.
 */
export function replacementFees(
  forms: readonly Fees[],
  baseFeePerGas: bigint,
  config: FeeConfig,
  { isCancel }: { isCancel: boolean },
): Fees | null {
  const cap = isCancel ? config.maxFeePerGasCap : stepFeeCap(config)
  const wanted = feesUnder(cap, baseFeePerGas, config)
  const highest = (pick: (fees: Fees) => bigint) => forms.reduce((most, fees) => greatest(most, pick(fees)), 0n)
  const maxFeePerGas = greatest(bump(highest((fees) => fees.maxFeePerGas)), wanted.maxFeePerGas)
  const maxPriorityFeePerGas = greatest(bump(highest((fees) => fees.maxPriorityFeePerGas)), wanted.maxPriorityFeePerGas)
  const most = greatest(maxFeePerGas, maxPriorityFeePerGas)
  return most > cap ? null : { maxFeePerGas: most, maxPriorityFeePerGas }
}

/** Raises a fee by as much as nodes ask of a replacement, rounded up, and always by something. */
function bump(fee: bigint): bigint {
  return fee === 0n ? 1n : (fee * raisedTo + 999n) / 1_000n
}
