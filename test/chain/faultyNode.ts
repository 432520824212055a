import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

export type JsonCall = { id: number; method: string; params: unknown[] }

/**
 * What the node does with an HTTP request. `pass` asks the node behind it; functions give the answers themselves, or
 * change the results of the node behind.
 */
export type Fault =
  | { kind: 'pass' }
  | { kind: 'status'; status: number; body?: string }
  /** Never answers; with a method, only where that is asked for. */
  | { kind: 'silence'; method?: string }
  /** Hands on the request and drops the connection instead of answering. */
  | { kind: 'loseAnswer' }
  /** Drops the connection once it has the request. */
  | { kind: 'reset' }
  | { kind: 'answer'; answer: (call: JsonCall) => Record<string, unknown> | null }
  | { kind: 'change'; change: (call: JsonCall, result: unknown) => unknown }
  /** Null for a body: there is none. With an encoding, it is compressed, and called that. */
  | { kind: 'raw'; body: (calls: JsonCall[]) => unknown; status?: number; encoding?: string }

/** A JSON-RPC node that misbehaves on demand, with a real one behind it or none. */
export async function startFaultyNode(upstream: string | null = null) {
  const requests: JsonCall[][] = []
  const authorizations: (string | undefined)[] = []
  const headers: IncomingHttpHeaders[] = []
  let choose: (calls: JsonCall[]) => Fault = () => ({ kind: 'pass' })

  const server = createServer((request, response) => {
    void (async () => {
      const body = await read(request)
      const parsed = JSON.parse(body) as JsonCall | JsonCall[]
      const calls = [parsed].flat()
      requests.push(calls)
      authorizations.push(request.headers.authorization)
      headers.push(request.headers)
      const reply = (status: number, content: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(typeof content === 'string' ? content : JSON.stringify(content))
      }
      const fault = choose(calls)
      switch (fault.kind) {
        case 'pass':
          return reply(200, await ask(upstream!, body))
        case 'status':
          return reply(fault.status, fault.body ?? 'out of order')
        case 'silence': {
          const { method } = fault
          if (method === undefined || calls.some((call) => call.method === method)) return
          return reply(200, await ask(upstream!, body))
        }
        case 'loseAnswer':
          await ask(upstream!, body)
          return void response.destroy()
        case 'reset':
          return void request.socket.resetAndDestroy()
        case 'answer': {
          const { answer } = fault
          const answers = await Promise.all(
            calls.map(async (call) => {
              const own = answer(call)
              if (own) return { jsonrpc: '2.0', id: call.id, ...own }
              if (call.method === 'eth_chainId' && !upstream) return { jsonrpc: '2.0', id: call.id, result: '0x7a69' }
              return JSON.parse(await ask(upstream!, JSON.stringify(call))) as unknown
            }),
          )
          return reply(200, Array.isArray(parsed) ? answers : answers[0])
        }
        case 'change': {
          const { change } = fault
          const answers = await Promise.all(
            calls.map(async (call) => {
              const told = JSON.parse(await ask(upstream!, JSON.stringify(call))) as { result?: unknown }
              return 'result' in told ? { ...told, result: change(call, told.result) } : told
            }),
          )
          return reply(200, Array.isArray(parsed) ? answers : answers[0])
        }
        case 'raw': {
          const { status = 200, encoding } = fault
          const content = fault.body(calls)
          if (encoding === undefined) return reply(status, content)
          response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': encoding })
          return void response.end(content === null ? undefined : gzipSync(JSON.stringify(content)))
        }
      }
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    upstream,
    port,
    requests,
    authorizations,
    headers,
    /** By a function, for each request anew. */
    behave(next: Fault | ((calls: JsonCall[]) => Fault)): void {
      choose = typeof next === 'function' ? next : () => next
    },
    async stop(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type FaultyNode = Awaited<ReturnType<typeof startFaultyNode>>

async function ask(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return response.text()
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/** A receipt as nodes have it that count the logs of each transaction from 0. */
export function countedFromZero(receipt: unknown): unknown {
  const { logs } = receipt as { logs: object[] }
  return { ...(receipt as object), logs: logs.map((log, index) => ({ ...log, logIndex: `0x${index.toString(16)}` })) }
}
