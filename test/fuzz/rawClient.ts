import { Agent, request } from 'node:http'

/** What is sent as it is: the path is not cleaned up, as `fetch` would. */
export type RawRequest = { method: string; path: string; headers: Record<string, string>; body: string | null }

/** `held`: not answered within the time that the caller waits; he has hung up. */
export type RawReply =
  { outcome: 'answered'; status: number; type: string; body: unknown; ms: number } | { outcome: 'held' }

export type RawClient = ReturnType<typeof createRawClient>

/** Sends requests over kept connections. */
export function createRawClient(baseUrl: string) {
  const { hostname, port } = new URL(baseUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })

  return {
    /** Waits only so long for the answer. */
    send({ method, path, headers, body }: RawRequest, patienceMs: number): Promise<RawReply> {
      return new Promise((resolve, reject) => {
        const startedAt = performance.now()
        const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
        const sent = request({ hostname, port, agent, method, path, headers: { ...headers, ...length } })
        const timer = setTimeout(() => {
          resolve({ outcome: 'held' })
          sent.destroy()
        }, patienceMs)
        sent.on('error', reject)
        sent.on('response', (response) => {
          clearTimeout(timer)
          const type = response.headers['content-type'] ?? ''
          const done = (text: string) =>
            resolve({
              outcome: 'answered',
              status: response.statusCode!,
              type,
              body: type.includes('json') && text !== '' ? JSON.parse(text) : text,
              ms: performance.now() - startedAt,
            })
          if (type.includes('event-stream')) {
            // Open for as long as the action runs; the status is what counts here.
            sent.destroy()
            return done('')
          }
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => void chunks.push(chunk))
          response.on('end', () => done(Buffer.concat(chunks).toString()))
          response.on('error', reject)
        })
        sent.end(body ?? undefined)
      })
    },
    close: () => agent.destroy(),
  }
}
