import type { Chain, ChainTransaction, Receipt } from '../../chain/chain.js'

/** Whether a transaction is as deep as it needs to be, in a block that the nodes agree on. */
export async function isFinal(
  mined: {
    receipt: Receipt
    confirmations: number
    needed: number
    /** Where what it says is judged; see `isCertain`. */
    transaction?: ChainTransaction
  },
  chain: Chain,
): Promise<boolean> {
  const { receipt, confirmations, needed, transaction } = mined
  return confirmations >= needed && chain.isCertain(receipt, needed, transaction)
}
