import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: unknown }

/**
 * What happens to one request: an answer, a broken connection, silence, half an answer and an end, or half and none; or
 * an event stream that ends, breaks off or stays open after what it has told.
 */
export type Reaction =
  | { status: number; body?: unknown; text?: string; headers?: Record<string, string> }
  | { stream: string; then: 'end' | 'cut' | 'stay' }
  | 'hang up'
  | 'silence'
  | 'half'
  | 'stall'

/** A real HTTP server that reacts by a script, and to everything after its end as to the last. */
export async function startScriptedServer(script: Reaction[] | ((request: Received, index: number) => Reaction)) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const entry = { method, path, headers, body: text === '' ? null : JSON.parse(text) }
      received.push(entry)
      const index = received.length - 1
      react(typeof script === 'function' ? script(entry, index) : script[Math.min(index, script.length - 1)]!, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function react(reaction: Reaction, response: ServerResponse): void {
  if (reaction === 'silence') return
  if (reaction === 'hang up') return void response.destroy()
  if (reaction === 'half' || reaction === 'stall') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"half":', () => reaction === 'half' && response.destroy())
    return
  }
  if ('stream' in reaction) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(reaction.stream, () => {
      if (reaction.then === 'end') response.end()
      if (reaction.then === 'cut') response.destroy()
    })
    return
  }
  const { status, body, text, headers } = reaction
  response.writeHead(status, { 'content-type': text === undefined ? 'application/json' : 'text/html', ...headers })
  response.end(text ?? (body === undefined ? '' : JSON.stringify(body)))
}
