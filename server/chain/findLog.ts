import type { Address, Hash } from 'viem'
import { type ChainConfig, vaultsOf } from '../domain/chainConfig.js'
import type { FoundLog } from './chain.js'
import { executedTopic, fulfilledTopic } from './contracts.js'
import type { Rpc } from './nodes/rpc.js'
import { call, quantity, readArray, readBigInt, readHash, readObject, resultOf } from './nodes/rpcFormat.js'
import type { RpcAnswer, RpcCall, RpcError } from './nodes/rpcNode.js'

/**
 * How many blocks nodes that limit the range of a search allow; most of them the first,
 * the free plans of some the last.
 */
const windowSizes = [2_000n, 1_000n, 500n, 100n, 10n]
const windowsPerRequest = 10
/** How many blocks back the search goes where it goes by windows; about ten days at one block in two seconds. */
const furthestBlocks = 400_000n
/**
 * How many requests a search makes of a node at most: enough to get as far back as that by windows of 1,000 blocks. A
 * search is repeated, and gateways count requests.
 */
const mostRequests = 50

/** `address`: who logged it; of several, any. */
type Search = { address: Address | Address[]; topics: readonly [Hash, Hash] }

/** Who is asked: one node, or the first that answers; and which have answered. */
type Nodes = { only: number | undefined; told: Set<number> }

/**
 * Finds the one transaction that logged a step's or a batch's key. Null is said only of what was searched as far back
 * as a search goes; where the nodes' windows are too narrow for that, it is said to be unsearched. An outage is thrown.
 */
export function createLogSearch(rpc: Rpc, config: Pick<ChainConfig, 'vault' | 'formerVaults'>) {
  const vaults = vaultsOf(config)
  const vault = vaults.length > 1 ? vaults : config.vault
  return {
    findFulfilment: (stepKey: Hash) => findThere({ address: vault, topics: [fulfilledTopic, stepKey] }),
    findExecution: (account: Address, chainBatchId: Hash, { isThere } = { isThere: true }) => {
      const search: Search = { address: account, topics: [executedTopic, chainBatchId] }
      return isThere ? findThere(search) : find(search, { only: undefined, told: new Set() })
    },
  }

  /**
   * A log that is there by what the contracts remember: where the node that is asked has none, each other one is asked.
   * Nodes that keep no older logs say that there are none.
   */
  async function findThere(search: Search): Promise<FoundLog> {
    const told = new Set<number>()
    const found = await find(search, { only: undefined, told })
    if (isFound(found)) return found
    // Where several have told a part each, none has told all.
    const others = Array.from({ length: rpc.nodeCount }, (_, node) => node).filter(
      (node) => told.size > 1 || !told.has(node),
    )
    const more = await Promise.all(
      others.map((node) => find(search, { only: node, told }).catch((): FoundLog => 'unsearched')),
    )
    return more.find(isFound) ?? (more.includes(null) ? null : found)
  }

  /** The whole chain at once where the node allows it; else the newest blocks, window by window. */
  async function find(search: Search, nodes: Nodes): Promise<FoundLog> {
    const { hash, head, hasFailed } = await findInWhole(search, nodes)
    if (hash !== undefined) return hash
    const found = await findInWindows(search, head, nodes)
    // The search of the whole chain may have failed this once only, and goes further back than windows do.
    if (isFound(found) || !hasFailed || head <= furthestBlocks) return found
    const { hash: further = found } = await findInWhole(search, nodes)
    return further
  }

  /**
   * Searches the whole chain at once. `hash` is undefined where no node does that, be it that one says so or that it
   * fails.
   */
  async function findInWhole(search: Search, nodes: Nodes) {
    const whole = call('eth_getLogs', { ...search, fromBlock: quantity(0), toBlock: 'latest' })
    return ask(
      nodes,
      [whole, call('eth_blockNumber')],
      ([logs, head]) => ({
        hash: logs?.error ? undefined : newestIn(resultOf(logs)),
        head: readBigInt(resultOf(head)),
        hasFailed: false,
      }),
      (_error, { method }) => method === 'eth_getLogs',
    ).catch(async () => ({ hash: undefined, head: await readHead(nodes), hasFailed: true }))
  }

  /** Searches from the head back; where a window is refused, by narrower ones from there on. */
  async function findInWindows(search: Search, head: bigint, nodes: Nodes): Promise<FoundLog> {
    const oldest = head > furthestBlocks ? head - furthestBlocks : 0n
    let [widest, to] = [0, head]
    for (let asked = 0; to >= oldest; asked++) {
      if (asked === mostRequests) return 'unsearched'
      const size = windowSizes[widest]!
      try {
        const found = await ask(nodes, windowsBefore(search, { to, oldest, size }), (answers) =>
          answers.map((answer) => newestIn(resultOf(answer))),
        )
        const hash = found.find((entry) => entry !== null)
        if (hash) return hash
        to -= size * BigInt(windowsPerRequest)
      } catch (error) {
        if (size === windowSizes.at(-1)) throw error
        // Where no node answers at all, asking for less is no use: that is thrown.
        await readHead(nodes)
        widest += 1
      }
    }
    return null
  }

  function readHead({ only }: Nodes): Promise<bigint> {
    return rpc.read([call('eth_blockNumber')], ([head]) => readBigInt(resultOf(head)), { node: only })
  }

  async function ask<T>(
    { only, told }: Nodes,
    calls: readonly RpcCall[],
    decode: (answers: RpcAnswer[]) => T,
    isAnswer?: (error: RpcError, call: RpcCall) => boolean,
  ): Promise<T> {
    const { value, node } = await rpc.readFrom(calls, decode, { node: only, ...(isAnswer && { isAnswer }) })
    told.add(node)
    return value
  }
}

function isFound(found: FoundLog): found is Hash {
  return found !== null && found !== 'unsearched'
}

/** One request's worth of windows, newest first. */
function windowsBefore(search: Search, { to, oldest, size }: { to: bigint; oldest: bigint; size: bigint }) {
  return Array.from({ length: windowsPerRequest }, (_, index) => to - size * BigInt(index))
    .filter((end) => end >= oldest)
    .map((end) => {
      const start = end - size + 1n
      return call('eth_getLogs', {
        ...search,
        fromBlock: quantity(start > 0n ? start : 0n),
        toBlock: quantity(end),
      })
    })
}

function newestIn(result: unknown): Hash | null {
  const last = readArray(result).at(-1)
  return last === undefined ? null : readHash(readObject(last)['transactionHash'])
}
