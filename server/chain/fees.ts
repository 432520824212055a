import type { Hex } from 'viem'
import { greatest, least } from '../domain/bigints.js'
import type { ChainConfig } from '../domain/chainConfig.js'
import { raisedTo, stepFeeCap } from '../domain/feeCap.js'

/** In wei per gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

type FeeConfig = Pick<ChainConfig, 'maxFeePerGasCap' | 'priorityFeePerGas'>

/** Intrinsic gas of one EIP-7702 authorization tuple; half of it comes back when the account exists already. */
export const authorizationGas = 25_000n
/** What our smallest calls take; it only matters when a node's estimate is nonsense. */
const leastGas = 60_000n
/** EIP-7825: no transaction may have a higher limit, on chains at Osaka. */
export const mostGas = 16_777_216n

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

/**
 * The limit to sign from a node's estimate, which was made without authorizations (the accounts' code was overridden).
 * - Each authorization adds its intrinsic gas. What of it is refunded comes back only at the end of the transaction.
 * - A quarter on top, since the estimate may be no more than what a simulation used after refunds, which are a fifth of
 *   what was consumed at most (EIP-3529): a call that goes on when what it calls has failed succeeds with that as well,
 *   and without the work that was signed.
 * - A tenth and a constant on top of that: every call keeps back a 64th of its gas (EIP-150), so that a limit that is
 *   just enough at the top may be short three calls down, and between estimate and inclusion a storage slot may turn
 *   from used to fresh (22,100 instead of 5,000).
 * - The margin alone never lifts a transaction over the protocol's own limit, nor over `ofBlock`, what a block has. A
 *   limit above that says that no block takes the transaction.
 */
export function gasLimit(options: { estimate: bigint; authorizations: number; ofBlock?: bigint }): bigint {
  const { estimate, authorizations, ofBlock = mostGas } = options
  const intrinsic = BigInt(authorizations) * authorizationGas
  const needed = greatest(estimate, leastGas) + intrinsic
  const limit = greatest((estimate * 135n) / 100n + 20_000n, leastGas) + intrinsic
  const caps = [mostGas, ofBlock].filter((cap) => needed <= cap)
  return caps.reduce(least, limit)
}

/**
 * EIP-7623: nodes take no transaction with less than 21,000 gas and 10 per zero byte, 40 per other byte of its data.
 */
export function calldataFloor(data: Hex): bigint {
  let tokens = 0
  for (let at = 2; at < data.length; at += 2) tokens += data[at] === '0' && data[at + 1] === '0' ? 1 : 4
  return 21_000n + 10n * BigInt(tokens)
}

/** Raises a fee by as much as nodes ask of a replacement, rounded up, and always by something. */
function bump(fee: bigint): bigint {
  return fee === 0n ? 1n : (fee * raisedTo + 999n) / 1_000n
}
