import { ChainUnavailable } from './chain.js'
import { createRedactor } from './redact.js'
import {
  createRpcNode,
  NodeFailure,
  type RoundTrip,
  type RpcAnswer,
  type RpcCall,
  type RpcError,
  type RpcNode,
} from './rpcNode.js'

export type RpcOptions = {
  /** How long one node may take for a read before the next is asked. */
  readTimeoutMs?: number
  /** How long a node may take to accept a transaction. */
  sendTimeoutMs?: number
  /** Called after every HTTP request. */
  onRoundTrip?: (roundTrip: RoundTrip) => void
}

export type ReadOptions = {
  /** Errors that are answers (a revert) rather than faults of the node. By default none is. */
  isAnswer?: (error: RpcError, call: RpcCall) => boolean
  /** Asks one node only, and holds nothing against it. */
  isGuess?: boolean
}

/** A node that has failed is asked last for this long. */
const restMs = 10_000

/** All nodes of one chain. Reads ask one node after the other until one answers, sends go to all. */
export function createRpc(chainId: number, urls: readonly string[], options: RpcOptions = {}) {
  const { readTimeoutMs = 4_000, sendTimeoutMs = 10_000, onRoundTrip = () => undefined } = options
  const redact = createRedactor(urls)
  const nodes = urls.map((url, index) => {
    const common = { chainId, url, index, onRoundTrip }
    return {
      reads: createRpcNode({ ...common, timeoutMs: readTimeoutMs }),
      // Apart from reads, so that a transaction never waits for a simulation that travels with it.
      sends: createRpcNode({ ...common, timeoutMs: sendTimeoutMs }),
      failedAt: -Infinity,
    }
  })

  const unavailable = (method: string, reason: string) => new ChainUnavailable(chainId, method, reason)

  return { redact, read, readEach, unavailable, senders: nodes.map((node): Pick<RpcNode, 'ask'> => node.sends) }

  /**
   * Asks for all calls in one round trip and hands the answers to `decode`. A node that fails, gives an error, or answers
   * what `decode` can't read, is passed over. Throws `ChainUnavailable` when there is none left.
   */
  async function read<T>(
    calls: readonly RpcCall[],
    decode: (answers: RpcAnswer[]) => T,
    { isAnswer = () => false, isGuess = false }: ReadOptions = {},
  ): Promise<T> {
    const reasons: string[] = []
    for (const node of isGuess ? inOrder().slice(0, 1) : inOrder()) {
      try {
        const answers = await node.reads.ask(calls)
        const faults = answers.flatMap(({ error }, index) => (error && !isAnswer(error, calls[index]!) ? [error] : []))
        if (faults[0]) throw new NodeFailure(`${faults[0].message} (${faults[0].code})`)
        const value = decode(answers)
        node.failedAt = -Infinity
        return value
      } catch (error) {
        if (!isGuess) node.failedAt = performance.now()
        reasons.push(error instanceof Error ? error.message : 'unreadable answer')
      }
    }
    throw unavailable(calls[0]?.method ?? 'nothing', redact(reasons.join('; ')))
  }

  /** Asks every node at once; null where one fails or answers what `decode` can't read. */
  function readEach<T>(calls: readonly RpcCall[], decode: (answers: RpcAnswer[]) => T): Promise<(T | null)[]> {
    return Promise.all(
      nodes.map((node) =>
        node.reads
          .ask(calls)
          .then(decode)
          .catch(() => null),
      ),
    )
  }

  /** As configured, but with those that failed lately at the end. */
  function inOrder() {
    const resting = (node: (typeof nodes)[number]) => performance.now() - node.failedAt < restMs
    return [...nodes.filter((node) => !resting(node)), ...nodes.filter(resting)]
  }
}

export type Rpc = ReturnType<typeof createRpc>
