/** What a transaction of one step is expected to take, in gas, a bundle aside. */
export const transactionGas = 300_000n
/** A signer that can't pay for this many more of them is low. */
export const fewTransactions = 50n

/** In wei, what a signer should hold at least: enough for those at twice the present base fee. */
export function gasMark({
  baseFeePerGas,
  priorityFeePerGas,
}: {
  baseFeePerGas: bigint
  priorityFeePerGas: bigint
}): bigint {
  return fewTransactions * transactionGas * (2n * baseFeePerGas + priorityFeePerGas)
}
