import type { Address, Hash } from 'viem'
import { executedTopic, fulfilledTopic } from './contracts.js'
import type { Rpc } from './rpc.js'
import { call, quantity, readArray, readBigInt, readHash, readObject, resultOf } from './rpcFormat.js'

/** What nodes that limit the range of a search allow at least. */
const windowBlocks = 2_000n
const windowsPerRequest = 10
/** How many blocks back the search goes then; about ten days at one block in two seconds. */
const furthestBlocks = 400_000n

type Search = { address: Address; topics: readonly [Hash, Hash] }

/** Finds the one transaction that logged a step's or a batch's key. */
export function createLogSearch(rpc: Rpc, vault: Address) {
  return {
    findFulfilment: (stepKey: Hash) => find({ address: vault, topics: [fulfilledTopic, stepKey] }),
    findExecution: (account: Address, chainBatchId: Hash) =>
      find({ address: account, topics: [executedTopic, chainBatchId] }),
  }

  /** The whole chain at once where the node allows it; else the newest blocks, window by window. */
  async function find(search: Search): Promise<Hash | null> {
    const whole = call('eth_getLogs', { ...search, fromBlock: quantity(0), toBlock: 'latest' })
    const found = await rpc.read(
      [whole, call('eth_blockNumber')],
      ([logs, head]) => ({
        hash: logs?.error ? undefined : newestIn(resultOf(logs)),
        head: readBigInt(resultOf(head)),
      }),
      { isAnswer: (_error, { method }) => method === 'eth_getLogs' },
    )
    return found.hash !== undefined ? found.hash : findInWindows(search, found.head)
  }

  async function findInWindows(search: Search, head: bigint): Promise<Hash | null> {
    const oldest = head > furthestBlocks ? head - furthestBlocks : 0n
    for (let to = head; to >= oldest; to -= windowBlocks * BigInt(windowsPerRequest)) {
      const windows = Array.from({ length: windowsPerRequest }, (_, index) => to - windowBlocks * BigInt(index))
        .filter((end) => end >= oldest)
        .map((end) => {
          const start = end - windowBlocks + 1n
          return call('eth_getLogs', {
            ...search,
            fromBlock: quantity(start > 0n ? start : 0n),
            toBlock: quantity(end),
          })
        })
      const found = await rpc.read(windows, (answers) => answers.map((answer) => newestIn(resultOf(answer))))
      const hash = found.find((entry) => entry !== null)
      if (hash) return hash
    }
    return null
  }
}

function newestIn(result: unknown): Hash | null {
  const last = readArray(result).at(-1)
  return last === undefined ? null : readHash(readObject(last)['transactionHash'])
}
