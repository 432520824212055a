import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, request } from 'undici'
import { type Hash, isHash } from 'viem'
import { chunk } from '../../lists/chunk.js'
import { saysLimited, saysTooManyTogether } from './busyNode.js'
import { NodeFailure, refusal, transportFailure } from './nodeFailure.js'
import { createNodeRest } from './nodeRest.js'

/** One JSON-RPC call. */
export type RpcCall = { method: string; params: readonly unknown[] }

export type RpcError = { code: number; message: string; data?: unknown }

/** A node's answer to one call: what it returned, or the error it gave. */
export type RpcAnswer = { result: unknown; error?: undefined } | { result?: undefined; error: RpcError }

/** One HTTP request, for counting and timing. */
export type RoundTrip = {
  chainId: number
  /** The node's position in `rpcUrls`; its address may hold credentials. */
  node: number
  methods: string[]
  outcome: 'answered' | 'failed'
  durationMs: number
}

type RpcNodeOptions = {
  chainId: number
  url: string
  /** The node's position in `rpcUrls`. */
  index: number
  timeoutMs: number
  /** For how long the node is believed to be of the chain that it has named. */
  verifyEveryMs?: number | undefined
  /**
   * Whether a hash is that of the chain's first block, by which chains of the same id differ. Undefined: the node is
   * not asked for it.
   */
  isGenesis?: ((hash: Hash) => Promise<boolean>) | undefined
  /** Whether nothing is asked for a while after the node has said that it is asked too much. */
  rests?: boolean | undefined
  onRoundTrip: (roundTrip: RoundTrip) => void
}

/** The node answers so many calls in one request not at all, or none that are so long together. */
class TooManyTogether extends NodeFailure {
  constructor(
    message: string,
    /** Their number is too large, so that the next ones are not to be so many. */
    readonly isByNumber: boolean,
  ) {
    super(message)
  }
}

/** In bytes, as sent and unpacked: far above any block's receipts, and what a node can make this process hold. */
const longestAnswer = 256 * 1024 * 1024
const dispatcher = new Agent({ maxResponseSize: longestAnswer })

/** Calls of several callers in one HTTP request, at most; a slow call holds up those that travel with it. */
const maxBatch = 32
/**
 * How long such a request is at most, in characters: one that is too long is refused whole, by nginx, and so by
 * gateways, from 1 MB on, by anvil from 2.
 */
const maxLength = 786_432

/** A call as it is sent, but for its id. */
type WrittenCall = { method: string; text: string }

/**
 * A request that is refused as too large (413) though it is no longer than this has too many calls; in a longer one a
 * single call may be what is too large.
 */
const shortLength = 65_536

/** Estimates take a node many runs, and what travelled with one would have to wait for it. */
const isSlow = ({ calls }: Group) => calls.some(({ method }) => method === 'eth_estimateGas')

type Group = {
  calls: readonly WrittenCall[]
  length: number
  resolve: (answers: RpcAnswer[]) => void
  reject: (reason: NodeFailure) => void
}

/**
 * One node of a chain. What is asked within one turn of the event loop travels in one HTTP request; what one
 * caller asks together always does. Until the node has said that it is of the right chain, every request asks for
 * that too. It has to say so again after any failure, and every minute: what answers at an address may be
 * exchanged, or reset, without a break.
 */
export function createRpcNode(options: RpcNodeOptions) {
  const { chainId, url, index, timeoutMs, verifyEveryMs = 60_000, isGenesis, rests = false, onRoundTrip } = options
  const proofs = isGenesis ? [chainIdCall, genesisCall] : [chainIdCall]
  const { endpoint, headers } = withoutCredentials(url)
  let queue: Group[] = []
  let verifiedAt = -Infinity
  /** How many calls the node answers in one request, as far as it has refused more. */
  let widest = Infinity
  const rest = createNodeRest()

  return {
    /** Answers in the order of the calls. Throws `NodeFailure`. */
    ask(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
      return new Promise((resolve, reject) => {
        const written = calls.map(write)
        const length = written.reduce((sum, { text }) => sum + text.length, 0)
        queue.push({ calls: written, length, resolve, reject })
        if (queue.length === 1) setImmediate(flush)
      })
    },
  }

  function flush(): void {
    const waiting = queue
    queue = []
    let groups: Group[] = []
    let size = 0
    let length = 0
    for (const group of waiting) {
      if (isSlow(group)) {
        void exchange([group])
        continue
      }
      const fits = size + group.calls.length <= maxBatch && length + group.length <= maxLength
      if (groups.length > 0 && !fits) {
        void exchange(groups)
        groups = []
        size = 0
        length = 0
      }
      groups.push(group)
      size += group.calls.length
      length += group.length
    }
    if (groups.length > 0) void exchange(groups)
  }

  async function exchange(groups: Group[]): Promise<void> {
    if (rests && rest.isOn()) {
      const failure = new NodeFailure('it has been asked more than it allows, and is left alone for now')
      for (const group of groups) group.reject(failure)
      return
    }
    const asked = groups.flatMap((group) => group.calls)
    const startedAt = performance.now()
    const calls = startedAt - verifiedAt < verifyEveryMs ? asked : [...proofs, ...asked]
    let outcome: RoundTrip['outcome'] = 'failed'
    try {
      let answers = await post(calls)
      if (calls.length > asked.length) {
        requireChain(answers[0])
        await requireGenesis(answers[1])
        verifiedAt = startedAt
        answers = answers.slice(proofs.length)
      }
      outcome = 'answered'
      for (const group of groups) deliver(group, answers.splice(0, group.calls.length))
    } catch (error) {
      verifiedAt = -Infinity
      const failure = error instanceof NodeFailure ? error : transportFailure(error)
      for (const group of groups) group.reject(failure)
    } finally {
      const methods = calls.map((call) => call.method)
      onRoundTrip({ chainId, node: index, methods, outcome, durationMs: performance.now() - startedAt })
    }
  }

  function deliver(group: Group, answers: (RpcAnswer | undefined)[]): void {
    if (answers.every((answer) => answer !== undefined)) group.resolve(answers)
    else group.reject(new NodeFailure('an answer is missing'))
  }

  function requireChain(answer: RpcAnswer | undefined): void {
    if (answer?.error) throw new NodeFailure(`eth_chainId: ${answer.error.message}`)
    if (typeof answer?.result !== 'string') throw new NodeFailure('the node does not say its chain')
    if (Number(answer.result) !== chainId) throw new NodeFailure(`the node is of chain ${Number(answer.result)}`)
  }

  async function requireGenesis(answer: RpcAnswer | undefined): Promise<void> {
    const { number, hash } = (answer?.result ?? {}) as { number?: unknown; hash?: unknown }
    // Not every node has its first block; those of Ethermint give the newest for it.
    if (!isGenesis || typeof hash !== 'string' || !isHash(hash)) return
    if (typeof number !== 'string' || Number(number) !== 0) return
    const isOurs = await isGenesis(hash.toLowerCase() as Hash).catch(() => null)
    if (isOurs === null) throw new NodeFailure('its first block could not be compared with the known one')
    if (!isOurs) throw new NodeFailure('the node is of another chain of the same id: it has another first block')
  }

  /** Sends the calls in one request, or in as many as the node wants them to be. */
  async function post(calls: readonly WrittenCall[]): Promise<(RpcAnswer | undefined)[]> {
    for (let width = Math.min(widest, calls.length); ;) {
      try {
        return (await Promise.all(chunk(calls, width).map(postTogether))).flat()
      } catch (error) {
        if (!(error instanceof TooManyTogether)) throw error
        width = Math.floor(width / 2)
        if (error.isByNumber) widest = Math.min(widest, width)
      }
    }
  }

  async function postTogether(calls: readonly WrittenCall[]): Promise<(RpcAnswer | undefined)[]> {
    const body = calls.map(({ text }, id) => `{"jsonrpc":"2.0","id":${id},${text}}`)
    // Not by fetch, which takes four times as long for a small answer. Redirects are not followed.
    const response = await request(endpoint, {
      method: 'POST',
      dispatcher,
      headers,
      // A lone call is sent plainly: some gateways know no batches.
      body: body.length === 1 ? body[0]! : `[${body.join()}]`,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const status = response.statusCode
    const text = await readText(response)
    const parsed = parseJson(text)
    const told = errorsIn(parsed)
    if (status === 429 || told.some(({ error }) => saysLimited(error))) rest.begin(response.headers['retry-after'])
    else rest.end()
    // A batch that is answered whole was taken, whatever its answers say.
    const isWhole = Array.isArray(parsed) && parsed.length >= calls.length
    const isRefused = status === 413 || (!isWhole && told.some(({ error }) => saysTooManyTogether(error)))
    if (calls.length > 1 && isRefused) {
      const length = calls.reduce((sum, { text }) => sum + text.length, 0)
      const message = `HTTP ${status}: it takes no ${calls.length} calls in one request`
      throw new TooManyTogether(message, status !== 413 || length < shortLength)
    }
    if (parsed === undefined) throw refusal(status, 'the answer is not JSON')
    return sortAnswers(parsed, calls.length, status)
  }
}

export type RpcNode = ReturnType<typeof createRpcNode>

function write({ method, params }: RpcCall): WrittenCall {
  return { method, text: `"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}` }
}

const chainIdCall = write({ method: 'eth_chainId', params: [] })
const genesisCall = write({ method: 'eth_getBlockByNumber', params: ['0x0', false] })

type Response = Awaited<ReturnType<typeof request>>

/** Whole blocks of receipts are large, so that nodes may compress them. */
async function readText({ headers, body }: Response): Promise<string> {
  if (String(headers['content-encoding'] ?? '').toLowerCase() !== 'gzip') return body.text()
  const packed = await body.arrayBuffer()
  // Gateways answer some failures with nothing, compressed all the same.
  if (packed.byteLength === 0) return ''
  return (await promisify(gunzip)(packed, { maxOutputLength: longestAnswer })).toString('utf8')
}

/** A user and password in an address go into the header that they stand for. */
function withoutCredentials(url: string): { endpoint: string; headers: Record<string, string> } {
  const parsed = new URL(url)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'accept-encoding': 'gzip',
    // The firewalls of some gateways refuse whoever gives none.
    'user-agent': 'node',
  }
  if (parsed.username || parsed.password) {
    const pair = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
    parsed.username = ''
    parsed.password = ''
  }
  return { endpoint: parsed.href, headers }
}

/** Nodes may answer the calls of a batch in any order, and a whole batch by one error. */
function sortAnswers(parsed: unknown, count: number, status: number): (RpcAnswer | undefined)[] {
  const entries = Array.isArray(parsed) ? parsed : [parsed]
  const answers = new Array<RpcAnswer | undefined>(count).fill(undefined)
  for (const entry of entries) {
    if (typeof entry !== 'object' || entry === null) continue
    const { id, result, error } = entry as { id?: unknown; result?: unknown; error?: unknown }
    const answer = error !== undefined && error !== null ? { error: readError(error) } : { result }
    if (answer.error === undefined && !('result' in entry)) continue
    // Of one call a JSON-RPC error without an id is the answer; what else a gateway says is of its own.
    const isOnly = count === 1 && (id === null || id === undefined) && isOfJsonRpc(answer.error)
    const place = isOnly ? 0 : typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id
    if (typeof place === 'number' && place in answers) answers[place] = answer
    else if (answer.error !== undefined) throw new NodeFailure(`HTTP ${status}: ${answer.error.message}`)
  }
  if (answers.every((answer) => answer === undefined)) {
    throw refusal(status, 'the answer is not JSON-RPC')
  }
  return answers
}

function isOfJsonRpc(error: RpcError | undefined): boolean {
  return error !== undefined && error.code >= -32_768 && error.code <= -32_000
}

/** All errors of an answer, of single calls or of all together. */
function errorsIn(parsed: unknown): { error: RpcError }[] {
  return (Array.isArray(parsed) ? parsed : [parsed]).flatMap((entry: unknown) => {
    const { error } = (entry ?? {}) as { error?: unknown }
    return error === undefined || error === null ? [] : [{ error: readError(error) }]
  })
}

function readError(error: unknown): RpcError {
  if (typeof error !== 'object' || error === null) return { code: 0, message: String(error) }
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
  return { code: Number(code) || 0, message: typeof message === 'string' ? message : JSON.stringify(error), data }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
