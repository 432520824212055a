/** What a transaction of one step is expected to take, in gas, a bundle aside. */
export const transactionGas = 300_000n
/** A signer that can't pay for this many more transactions of one step is low on gas. */
export const fewTransactions = 50n

/** What a signer should hold at least, in wei: enough for `fewTransactions` at twice the present base fee. */
export function gasMark({
  baseFeePerGas,
  priorityFeePerGas,
}: {
  baseFeePerGas: bigint
  priorityFeePerGas: bigint
}): bigint {
  return fewTransactions * transactionGas * (2n * baseFeePerGas + priorityFeePerGas)
}
