import { type Hash, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'

/** How soon it is asked for again; a local chain mines within milliseconds. */
const againMs = 10

/**
 * The receipt of a transaction on a chain that mines at once. viem's own wait asks once for each block, and for ever
 * where such a chain tells of the block before its receipts and no other block comes.
 */
export async function minedReceipt(
  reader: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hash,
  { withinMs = 60_000, everyMs = againMs } = {},
): Promise<TransactionReceipt> {
  for (const deadline = performance.now() + withinMs; ;) {
    try {
      return await reader.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
    }
    if (performance.now() > deadline) throw new Error(`The transaction ${hash} was not mined within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
