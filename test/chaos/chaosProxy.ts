import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hash, Hex } from 'viem'
import { pause } from '../support/pause.js'
import { type Random, randomOf } from '../support/random.js'
import { createStrictPool, readTransaction, type ReadTransaction } from './strictPool.js'

/** How probable each fault is, from 0 to 1. The first five hit a whole HTTP request, the others one call in it. */
export type Faults = {
  /** The connection ends and the node never hears of it. */
  dropRequest: number
  /** The node has done it, and the connection ends before it can say so. */
  dropAnswer: number
  /** The answer takes up to `maxDelayMs` longer. */
  delay: number
  http429: number
  http500: number
  /** One call's answer is missing from a batch. */
  loseAnswer: number
  /** A transaction reaches the node twice, and the second answer comes back. */
  duplicateSend: number
  /** A transaction is answered with another error than the node's, whether or not the node has it. */
  wrongErrorText: number
  /** No receipt for the first few times that it is asked for. */
  nullReceipt: number
  /** No receipts of a block. */
  nullBlockReceipts: number
  /** A block, a block number or a transaction count of a while ago. */
  stale: number
  wrongChainId: number
}

export const noFaults: Faults = {
  dropRequest: 0,
  dropAnswer: 0,
  delay: 0,
  http429: 0,
  http500: 0,
  loseAnswer: 0,
  duplicateSend: 0,
  wrongErrorText: 0,
  nullReceipt: 0,
  nullBlockReceipts: 0,
  stale: 0,
  wrongChainId: 0,
}

/** Everything at once, often enough to be met by every step, seldom enough that the work ends. */
export const allFaults: Faults = {
  dropRequest: 0.03,
  dropAnswer: 0.03,
  delay: 0.1,
  http429: 0.02,
  http500: 0.02,
  loseAnswer: 0.01,
  duplicateSend: 0.1,
  wrongErrorText: 0.1,
  nullReceipt: 0.3,
  nullBlockReceipts: 0.15,
  stale: 0.1,
  wrongChainId: 0.05,
}

/** What nodes and gateways say that must not make a transaction be given up: none of them is the truth here. */
const wrongTexts = [
  'nonce too low',
  'nonce too low: next nonce 9, tx nonce 8',
  'OldNonce, Current nonce: 9, nonce of rejected tx: 8',
  'already known',
  'replacement transaction underpriced',
  'insufficient funds for gas * price + value',
  'transaction underpriced',
  'txpool is full',
  'in-flight transaction limit reached for delegated accounts',
  'internal error',
  'upstream request timeout',
  'rate limit exceeded',
]

/** A raw transaction as it came to the proxy. */
export type SeenSend = {
  transaction: ReadTransaction
  /** Unix milliseconds, read before anything else was done with it. */
  at: number
  node: number
  /** What the proxy did to it, or null. */
  fault: string | null
  /** What was answered. */
  answer: string
  /** What `onSend` found. */
  note: unknown
}

export type ChaosProxyOptions = {
  chainId: number
  /** The node behind. */
  target: string
  seed: number
  faults: Faults
  /** How many nodes it looks like; each has its own faults. */
  nodes?: number
  maxDelayMs?: number
  /** Called with each transaction before it is handed on, which waits for it. */
  onSend?: (hash: Hash) => Promise<unknown>
}

type Call = { id: unknown; method: string; params: unknown[] }
type Answer = { jsonrpc: '2.0'; id: unknown; result?: unknown; error?: { code: number; message: string } }

export type ChaosProxy = Awaited<ReturnType<typeof startChaosProxy>>

/**
 * A JSON-RPC proxy that does to calls what bad nodes and bad networks do. What happens to a call depends on the seed,
 * on what the call says and on how often it was made, not on what else goes on at the time, so that a seed repeats a
 * run as far as the service repeats its calls.
 */
export async function startChaosProxy(options: ChaosProxyOptions) {
  const { chainId, target, seed, nodes = 1, maxDelayMs = 300 } = options
  let faults = options.faults
  let out = false
  const seen: SeenSend[] = []
  const counts = new Map<string, number>()
  const made = new Map<string, number>()
  const pool = createStrictPool(target)
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    chainId,
    /** One per node, all before the same chain. */
    urls: Array.from({ length: nodes }, (_, node) => `http://127.0.0.1:${port}/${node}`),
    /** Every raw transaction that has come, oldest first. */
    seen,
    /** How often each fault has happened. */
    made,
    setFaults(next: Partial<Faults>): void {
      faults = { ...noFaults, ...next }
    },
    /** While on, no request is answered and none reaches the chain. */
    setOutage(on: boolean): void {
      out = on
      if (on) server.closeAllConnections()
    },
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request)
    if (out) return void response.destroy()
    const node = Number(request.url?.slice(1)) || 0
    const body = JSON.parse(text) as Call | Call[]
    const calls = Array.isArray(body) ? body : [body]
    const random = choose(node, 'request', subjectOf(calls.at(-1)!))
    const transport = pickTransport(random)
    if (transport === 'dropRequest') return void response.destroy()
    if (transport === 'http429') return refuse(response, 429, 'Too many requests')
    if (transport === 'http500') return refuse(response, 500, 'Internal server error')
    const answers = await Promise.all(calls.map((call) => answerTo(call, node, calls.length > 1)))
    if (transport === 'delay') await pause(random.below(maxDelayMs))
    if (transport === 'dropAnswer' || out) return void response.destroy()
    const kept = answers.filter((answer) => answer !== null)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(body) ? kept : kept[0]))
  }

  function pickTransport(random: Random): keyof Faults | null {
    for (const fault of ['dropRequest', 'dropAnswer', 'delay', 'http429', 'http500'] as const) {
      if (random.chance(faults[fault])) return count(fault)
    }
    return null
  }

  /** Null: the answer gets lost. */
  async function answerTo(call: Call, node: number, inBatch: boolean): Promise<Answer | null> {
    const random = choose(node, 'call', subjectOf(call))
    const lost = inBatch && random.chance(faults.loseAnswer)
    const answer = await answerByMethod(call, node, random)
    return lost ? (count('loseAnswer'), null) : answer
  }

  async function answerByMethod(call: Call, node: number, random: Random): Promise<Answer> {
    switch (call.method) {
      case 'eth_sendRawTransaction':
        return answerToSend(call, node, random)
      case 'eth_chainId':
        if (!random.chance(faults.wrongChainId)) break
        count('wrongChainId')
        return resultTo(call, `0x${(chainId + 1).toString(16)}`)
      case 'eth_getTransactionReceipt':
        if (!isWithheld(node, String(call.params[0]))) break
        count('nullReceipt')
        return resultTo(call, null)
      case 'eth_getBlockReceipts':
        if (!random.chance(faults.nullBlockReceipts)) break
        count('nullBlockReceipts')
        return resultTo(call, null)
      case 'eth_getBlockByNumber':
        if (call.params[0] !== 'latest' || !random.chance(faults.stale)) break
        count('stale')
        return staleBlock(call, 1 + random.below(3))
      case 'eth_blockNumber':
      case 'eth_getTransactionCount': {
        const answer = await forward(call)
        if (typeof answer.result !== 'string' || !random.chance(faults.stale)) return answer
        count('stale')
        return resultTo(call, `0x${Math.max(0, Number(answer.result) - 1 - random.below(2)).toString(16)}`)
      }
    }
    return forward(call)
  }

  async function answerToSend(call: Call, node: number, random: Random): Promise<Answer> {
    const at = Date.now()
    const transaction = await readTransaction(call.params[0] as Hex)
    const note = await options.onSend?.(transaction.hash)
    const entry: SeenSend = { transaction, at, node, fault: null, answer: '', note }
    seen.push(entry)
    const send = async (): Promise<Answer> => {
      const admitted = await pool.admit(transaction, () => forward(call))
      return 'refusal' in admitted ? errorTo(call, admitted.refusal) : admitted.answer
    }
    let answer: Answer
    if (random.chance(faults.wrongErrorText)) {
      const reaches = random.chance(0.5)
      entry.fault = `${count('wrongErrorText')}, ${reaches ? 'reached the node' : 'kept from the node'}`
      if (reaches) await send()
      answer = errorTo(call, random.pick(wrongTexts))
    } else if (random.chance(faults.duplicateSend)) {
      entry.fault = count('duplicateSend')
      await send()
      answer = await send()
    } else {
      answer = await send()
    }
    entry.answer = answer.error?.message ?? 'ok'
    return answer
  }

  /** The receipts of a share of the transactions stay away for their first few tries, each node's for itself. */
  function isWithheld(node: number, hash: string): boolean {
    const random = randomOf(seed, `receipt:${chainId}:${node}:${hash}`)
    if (!random.chance(faults.nullReceipt)) return false
    return next(`receipt:${node}:${hash}`) < 1 + random.below(4)
  }

  async function staleBlock(call: Call, back: number): Promise<Answer> {
    const head = Number((await forward({ ...call, method: 'eth_blockNumber', params: [] })).result)
    return forward({ ...call, params: [`0x${Math.max(0, head - back).toString(16)}`, call.params[1]] })
  }

  async function forward(call: Call): Promise<Answer> {
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: call.id, method: call.method, params: call.params }),
    })
    return (await response.json()) as Answer
  }

  function choose(node: number, kind: string, subject: string): Random {
    const key = `${kind}:${chainId}:${node}:${subject}`
    return randomOf(seed, `${key}:${next(key)}`)
  }

  /** How often this has been asked for before. */
  function next(key: string): number {
    const before = counts.get(key) ?? 0
    counts.set(key, before + 1)
    return before
  }

  function count(fault: keyof Faults): keyof Faults {
    made.set(fault, (made.get(fault) ?? 0) + 1)
    return fault
  }
}

/** What makes two calls the same one, for the count of tries. */
function subjectOf({ method, params }: Call): string {
  return `${method}:${JSON.stringify(params)}`
}

function resultTo(call: Call, result: unknown): Answer {
  return { jsonrpc: '2.0', id: call.id, result }
}

function errorTo(call: Call, message: string): Answer {
  return { jsonrpc: '2.0', id: call.id, error: { code: -32000, message } }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString()
  return text
}
