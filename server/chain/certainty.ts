import type { ChainConfig } from '../domain/chainConfig.js'
import { depthOf } from '../domain/finality.js'
import type { Chain, ChainTransaction, Receipt } from './chain.js'
import { inParts } from './nodes/inParts.js'
import { maxCalls, type Rpc } from './nodes/rpc.js'
import { call, orNull, quantity, readBlock, receiptOf, resultOf, transactionOf } from './nodes/rpcFormat.js'
import type { RpcAnswer } from './nodes/rpcNode.js'

/**
 * What counts only once as many nodes say it as `agreement` asks for: that a block is final, on which money moves, or
 * gone, with which it moves back.
 */
export function createCertainty(
  rpc: Rpc,
  { agreement }: Pick<ChainConfig, 'agreement'>,
): Pick<Chain, 'isCertain' | 'goneBlocks'> {
  return {
    async isCertain(receipt, depth, transaction) {
      const { hash, blockNumber } = receipt
      const block = call('eth_getBlockByNumber', quantity(blockNumber), false)
      const latest = call('eth_getBlockByNumber', 'latest', false)
      /** Both are asked of the same node: the head of another one says nothing of what this one has. */
      const isFinal = ([found, head]: RpcAnswer[]) => {
        const isCanonical = orNull(resultOf(found), readBlock)?.hash === receipt.blockHash
        const isDeep = depthOf(blockNumber, readBlock(resultOf(head)).number) >= depth
        return isCanonical && isDeep
      }
      if (agreement === 1) return rpc.read([block, latest], isFinal)
      const calls = [block, latest, call('eth_getTransactionReceipt', hash)]
      if (transaction) calls.push(call('eth_getTransactionByHash', hash))
      const agreeing = (told: readonly (boolean | null)[]) => told.filter(Boolean).length
      const told = await rpc.readUntil(
        calls,
        ([found, head, other, content]) => {
          if (!isFinal([found!, head!]) || !isSameReceipt(receiptOf(resultOf(other), hash), receipt)) return false
          return !transaction || isSameContent(transactionOf(resultOf(content), hash), transaction)
        },
        (soFar, left) => agreeing(soFar) >= agreement || agreeing(soFar) + left < agreement,
      )
      return agreeing(told) >= agreement
    },

    goneBlocks(blocks) {
      return inParts(blocks, maxCalls, async (part) => {
        const calls = part.map(({ number }) => call('eth_getBlockByNumber', quantity(number), false))
        /** Whether the node has another block in the place of each; null: it has none of that number. */
        const areOther = (answers: RpcAnswer[]) =>
          answers.map((answer, index) => {
            const block = orNull(resultOf(answer), readBlock)
            return block && block.hash !== part[index]!.hash
          })
        if (agreement === 1) return rpc.read(calls, areOther)
        // All that may answer: one that names another block keeps it from being said that none is gone.
        const told = (await rpc.readUntil(calls, areOther, () => false)).filter((node) => node !== null)
        return part.map((_block, index) => {
          const words = told.map((node) => node[index]!)
          if (words.filter(Boolean).length >= agreement) return true
          return words.length > 0 && words.every((isOther) => isOther === false) ? false : null
        })
      })
    },
  }
}

/**
 * What counts of a receipt: where it is, whose it is, and what it did. Logs are compared with each other by their place
 * in it; some nodes count them from 0 in each transaction, others through the block.
 */
function isSameReceipt(a: Receipt, b: Receipt): boolean {
  const plain = ({ logs }: Receipt) => logs.map(({ address, topics, data }) => [address, topics, data])
  const told = (one: Receipt) => JSON.stringify([one.blockHash, one.status, one.from, one.to, plain(one)])
  return told(a) === told(b)
}

/** What counts of a transaction of one hash: what it says, wherever it is mined. */
function isSameContent(a: ChainTransaction, b: ChainTransaction): boolean {
  const told = ({ from, to, value, input }: ChainTransaction) => JSON.stringify([from, to, String(value), input])
  return told(a) === told(b)
}
