import { inParts } from './nodes/inParts.js'
import type { Chain, Receipt } from './chain.js'
import { maxCalls, type Rpc } from './nodes/rpc.js'
import { call, orNull, receiptOf, resultOf } from './nodes/rpcFormat.js'
import type { RpcAnswer } from './nodes/rpcNode.js'

type Place = Parameters<Chain['missingReceipts']>[0][number]

/**
 * Finds receipts of transactions whose blocks are the chain's, and of which the node that was asked has none: after a
 * small reorganisation nodes may know no receipt by its hash any more and have it with its block all the same, and some
 * keep no older ones.
 */
export function createMissingReceipts(rpc: Rpc, blockReceipts: Chain['blockReceipts']): Chain['missingReceipts'] {
  return async (places) => {
    const told = await inParts(places, maxCalls, byHash)
    const found = new Map(told.map((receipt) => [receipt.hash, receipt]))
    const lost = places.filter(({ hash }) => !found.has(hash))
    for (const blockNumber of new Set(lost.map((place) => place.blockNumber))) {
      // What one block's receipts fail with keeps none from being found in another's.
      const block = await blockReceipts(BigInt(blockNumber)).catch(() => null)
      for (const receipt of block?.receipts ?? []) found.set(receipt.hash, receipt)
    }
    return places.map(({ hash }) => found.get(hash) ?? null)
  }

  /** By their hashes, from whichever nodes have them. */
  async function byHash(places: readonly Place[]): Promise<Receipt[]> {
    const calls = places.map(({ hash }) => call('eth_getTransactionReceipt', hash))
    const read = (answer: RpcAnswer, { hash }: Place) => orNull(resultOf(answer), (value) => receiptOf(value, hash))
    const firstOf = (told: readonly ((Receipt | null)[] | null)[]) =>
      places.map((_place, index) => told.map((node) => node?.[index]).find(Boolean))
    const told = await rpc.readUntil(
      calls,
      (answers) => answers.map((answer, index) => read(answer, places[index]!)),
      (soFar) => firstOf(soFar).every(Boolean),
    )
    return firstOf(told).filter((receipt) => receipt !== undefined && receipt !== null)
  }
}
