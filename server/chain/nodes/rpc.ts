import type { Hash } from 'viem'
import { settledOrAfter } from '../../concurrency/settledOrAfter.js'
import { saysLate } from './busyNode.js'
import { type Block, ChainUnavailable } from '../chain.js'
import { createNodeHeads, type NodeHead } from './nodeHeads.js'
import { createRedactor } from './redact.js'
import { call, readBlock, resultOf } from './rpcFormat.js'
import { NodeFailure } from './nodeFailure.js'
import { createRpcNode, type RoundTrip, type RpcAnswer, type RpcCall, type RpcError, type RpcNode } from './rpcNode.js'

export type RpcOptions = {
  /** How long one node may take for a read before the next is asked. */
  readTimeoutMs?: number
  /** How long a node may take to accept a transaction. */
  sendTimeoutMs?: number
  /** For how long a node is believed to be of the chain that it has named. */
  verifyEveryMs?: number
  /**
   * Whether what a node (by its place in the addresses) tells is the first block of the chain of this id.
   * Undefined: none is asked for it.
   */
  isGenesis?: (chainId: number, hash: Hash, node: number) => Promise<boolean>
  /** Called after every HTTP request. */
  onRoundTrip?: (roundTrip: RoundTrip) => void
}

type ReadOptions = {
  /** Errors that are answers (a revert) rather than faults of the node. By default none is. */
  isAnswer?: (error: RpcError, call: RpcCall) => boolean
  /** Asks one node only, and holds nothing against it. */
  isGuess?: boolean
  /** Asks this node only, by its place in the addresses. */
  node?: number | undefined
}

/**
 * How many calls are asked together at most. Erigon's default limit is 100 in one request, which may hold the two
 * besides by which a node proves its chain.
 */
export const maxCalls = 98
/** A node that has failed is asked last for this long. */
const restMs = 10_000
/**
 * A node that was silent is asked beside others for this long without being awaited, or until it answers: longer than
 * passes between two looks at what is settled.
 */
const silentMs = 60_000

const headCall = call('eth_getBlockByNumber', 'latest', false)
const decodeHead = ([block]: RpcAnswer[]) => readBlock(resultOf(block))

/**
 * All nodes of one chain. `read` asks one after the other until one answers, `readEach` and `readUntil` ask all at
 * once; sends go to all.
 */
export function createRpc(chainId: number, urls: readonly string[], options: RpcOptions = {}) {
  const { readTimeoutMs = 4_000, sendTimeoutMs = 10_000, verifyEveryMs, onRoundTrip = () => undefined } = options
  const redact = createRedactor(urls)
  type Node = (typeof nodes)[number]
  const nodes = urls.map((url, index) => {
    const isGenesis = options.isGenesis && ((hash: Hash) => options.isGenesis!(chainId, hash, index))
    const common = { chainId, url, index, verifyEveryMs, isGenesis, onRoundTrip }
    return {
      index,
      reads: createRpcNode({ ...common, timeoutMs: readTimeoutMs, rests: true }),
      // Apart from reads, so that a transaction never waits for a simulation that travels with it.
      sends: createRpcNode({ ...common, timeoutMs: sendTimeoutMs }),
      failedAt: -Infinity,
      /** When it last gave no answer in time, while it has answered nothing since. */
      silentAt: -Infinity,
    }
  })

  const unavailable = (method: string, reason: string, isLate = false) =>
    new ChainUnavailable(chainId, method, reason, isLate)

  const heads = createNodeHeads(askHeads, nodes.length)

  return {
    redact,
    nodeCount: nodes.length,
    read,
    readFrom,
    readEach,
    readUntil,
    readHead,
    /** The newest block of every node, in the order of the addresses, or why it tells none. */
    readHeads: heads.compare,
    unavailable,
    senders: nodes.map((node): Pick<RpcNode, 'ask'> => node.sends),
  }

  /**
   * Asks for all calls in one round trip and hands the answers to `decode`. A node that fails, gives an error, or
   * answers what `decode` can't read, is passed over. Throws `ChainUnavailable` when there is none left.
   */
  async function read<T>(
    calls: readonly RpcCall[],
    decode: (answers: RpcAnswer[]) => T,
    options?: ReadOptions,
  ): Promise<T> {
    return (await readFrom(calls, decode, options)).value
  }

  /** As `read`, with which node it was that answered. */
  async function readFrom<T>(
    calls: readonly RpcCall[],
    decode: (answers: RpcAnswer[]) => T,
    { isAnswer = () => false, isGuess = false, node: only }: ReadOptions = {},
  ): Promise<{ value: T; node: number }> {
    const reasons: unknown[] = []
    const asked = only === undefined ? inOrder() : [nodes[only]!]
    for (const node of isGuess ? asked.slice(0, 1) : asked) {
      try {
        const answers = await ask(node, calls)
        const faults = answers.flatMap(({ error }, index) => (error && !isAnswer(error, calls[index]!) ? [error] : []))
        if (faults[0]) throw new NodeFailure(`${faults[0].message} (${faults[0].code})`, false, saysLate(faults[0]))
        const value = decode(answers)
        node.failedAt = -Infinity
        return { value, node: node.index }
      } catch (error) {
        if (!isGuess) node.failedAt = performance.now()
        reasons.push(error)
      }
    }
    return failed(calls, reasons)
  }

  async function readHead(): Promise<Block> {
    const { value, node } = await readFrom([headCall], decodeHead)
    return heads.saw(node, value)
  }

  /** Throws `ChainUnavailable`, which says what each node has failed at. */
  function failed(calls: readonly RpcCall[], reasons: readonly unknown[]): never {
    const isLate = reasons.some((reason) => reason instanceof NodeFailure && reason.isLate)
    throw unavailable(calls[0]?.method ?? 'nothing', redact(reasons.map(messageOf).join('; ')), isLate)
  }

  /**
   * Asks every node at once; null where one fails, answers what `decode` can't read, or takes so much longer than the
   * first that has answered. With such a time, it throws `ChainUnavailable` where none answers.
   */
  async function readEach<T>(
    calls: readonly RpcCall[],
    decode: (answers: RpcAnswer[]) => T,
    { graceMs = Infinity }: { graceMs?: number } = {},
  ): Promise<(T | null)[]> {
    const told: (T | null)[] = nodes.map(() => null)
    const asked = nodes.map(async (node, index) => {
      told[index] = decode(await ask(node, calls))
    })
    const all = Promise.allSettled(asked)
    if (graceMs < Infinity) {
      await Promise.any(asked).catch(({ errors }: AggregateError) => failed(calls, errors))
      await settledOrAfter(all, graceMs)
    } else await all
    return [...told]
  }

  /**
   * Asks every node at once, and waits until what they have told is enough; null where one has not told by then, fails,
   * or answers what `decode` can't read. `left`: how many may tell yet. A node that was silent lately is not awaited
   * once another has answered, or everything that is asked one after the other would wait for it anew; it is asked all
   * the same, and awaited again once it has answered.
   */
  async function readUntil<T>(
    calls: readonly RpcCall[],
    decode: (answers: RpcAnswer[]) => T,
    isEnough: (told: readonly (T | null)[], left: number) => boolean,
  ): Promise<(T | null)[]> {
    const told: (T | null)[] = nodes.map(() => null)
    const pending = new Set(nodes)
    let hasAnswered = false
    const isAwaited = ({ silentAt }: Node) => !hasAnswered || performance.now() - silentAt >= silentMs
    await new Promise<void>((resolve) => {
      const hear = async (node: Node) => {
        try {
          const answers = await ask(node, calls)
          hasAnswered = true
          told[node.index] = decode(answers)
        } catch {
          // It tells nothing.
        }
        pending.delete(node)
        const left = [...pending].filter(isAwaited).length
        if (left === 0 || isEnough(told, left)) resolve()
      }
      for (const node of nodes) void hear(node)
    })
    return [...told]
  }

  async function ask(node: Node, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    try {
      const answers = await node.reads.ask(calls)
      node.silentAt = -Infinity
      return answers
    } catch (error) {
      if (error instanceof NodeFailure && error.isLate) node.silentAt = performance.now()
      throw error
    }
  }

  function askHeads(): Promise<NodeHead[]> {
    return Promise.all(
      nodes.map(async (node): Promise<NodeHead> => {
        try {
          return { head: decodeHead(await ask(node, [headCall])), fault: null }
        } catch (error) {
          return { head: null, fault: redact(messageOf(error)) }
        }
      }),
    )
  }

  /**
   * As configured, but with those that failed lately after the others, and those that are behind last: what they say of
   * the present is wrong, which is worse than to wait for a node that may be back.
   */
  function inOrder() {
    const rank = (node: Node) => (heads.isBehind(node.index) ? 2 : performance.now() - node.failedAt < restMs ? 1 : 0)
    return [0, 1, 2].flatMap((wanted) => nodes.filter((node) => rank(node) === wanted))
  }
}

export type Rpc = ReturnType<typeof createRpc>

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unreadable answer'
}
