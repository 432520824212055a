import type { Hex } from 'viem'
import { greatest, least } from '../domain/bigints.js'

/** Intrinsic gas of one EIP-7702 authorization tuple; half of it comes back when the account exists already. */
export const authorizationGas = 25_000n
/** What our smallest calls take; it only matters when a node's estimate is nonsense. */
const leastGas = 60_000n
/** EIP-7825: no transaction may have a higher limit, on chains at Osaka. */
export const mostGas = 16_777_216n

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
