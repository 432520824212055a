import type { Hash } from 'viem'
import { inParts } from './nodes/inParts.js'
import type { Chain, Receipt } from './chain.js'
import { createAbility } from './nodes/ability.js'
import { saysNoSuchMethod } from './nodes/noSuchMethod.js'
import { maxCalls, type Rpc } from './nodes/rpc.js'
import {
  call,
  orNull,
  quantity,
  readArray,
  readBlock,
  readReceipt,
  readTransactionHashes,
  receiptOf,
  resultOf,
} from './nodes/rpcFormat.js'
import type { RpcError } from './nodes/rpcNode.js'

/** Whole blocks where the node knows eth_getBlockReceipts, else every receipt by its hash in a second round trip. */
export function createBlockReceipts(rpc: Rpc): Chain['blockReceipts'] {
  const wholeBlocks = createAbility()
  return async (number, { isGuess } = { isGuess: false }) => {
    const calls = [call('eth_getBlockByNumber', quantity(number), false)]
    if (wholeBlocks.isThere()) calls.push(call('eth_getBlockReceipts', quantity(number)))
    const found = await rpc.read(
      calls,
      ([block, receipts]) => {
        const value = resultOf(block)
        if (value === null || value === undefined) return null
        if (receipts?.error && saysNoSuchMethod(receipts.error)) wholeBlocks.deny()
        return {
          block: readBlock(value),
          hashes: readTransactionHashes(value),
          receipts: receipts && !receipts.error ? orNull(receipts.result, readReceiptList) : null,
        }
      },
      {
        isAnswer: (error, { method }) =>
          method === 'eth_getBlockReceipts' && (saysNoSuchMethod(error) || isMissing(error)),
        isGuess,
      },
    )
    if (!found) return null
    const { block, hashes } = found
    const receipts =
      found.receipts ??
      (wholeBlocks.isThere() ? null : (await readReceipts(rpc, hashes)).filter((receipt) => receipt !== null))
    if (!receipts) return null
    // Block and receipts may come from either side of a reorganisation; together they must be one block.
    const told = new Set(receipts.map((receipt) => receipt.hash))
    const isWhole =
      receipts.every(({ blockHash }) => blockHash === block.hash) && hashes.every((hash) => told.has(hash))
    return isWhole ? { block, receipts } : null
  }
}

/** Whether a node says that it does not have a block; some say null for that. */
function isMissing({ message }: RpcError): boolean {
  return /(?:block|header|receipts?|resource) not found|unknown block/i.test(message)
}

function readReceiptList(value: unknown): Receipt[] {
  return readArray(value).map(readReceipt)
}

/** The receipts of these transactions, each at its place; null where no block has it. */
export function readReceipts(rpc: Rpc, hashes: readonly Hash[]): Promise<(Receipt | null)[]> {
  return inParts(hashes, maxCalls, (part) => {
    const calls = part.map((hash) => call('eth_getTransactionReceipt', hash))
    return rpc.read(calls, (answers) =>
      answers.map((answer, index) => orNull(resultOf(answer), (value) => receiptOf(value, part[index]!))),
    )
  })
}
