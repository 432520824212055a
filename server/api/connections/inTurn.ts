import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** How many requests may wait for those before them: of one connection, and of all together. */
export type WaitingLimits = { waiting: number; waitingInAll: number }

/** A connection's requests: the answer on its way, if there is one, and how those that wait behind it are begun. */
type Line = { answering: ServerResponse | null; waiting: (() => void)[] }

/**
 * Has a connection's requests answered one after the other, however many a client sends before it reads: Node hands all
 * of them on at once, and keeps them whole, and the answers that come before their turn. A connection ends where more
 * come than may wait, or one behind an event stream, which would wait for ever. Those of a client that has hung up are
 * forgotten.
 */
export function inTurn(answer: Answer, limits: WaitingLimits): Answer {
  const lines = new WeakMap<Socket, Line>()
  let waitingInAll = 0

  return (request, response) => {
    const { socket } = request
    // Of what came in one piece, Node hands on what stands behind the request that was one too many.
    if (socket.destroyed) return
    const line = lines.get(socket) ?? open(socket)
    if (!line.answering) return begin(line, request, response)
    const isFull = line.waiting.length >= limits.waiting || waitingInAll >= limits.waitingInAll
    if (isFull || isEventStream(line.answering)) {
      socket.destroy()
      return
    }
    waitingInAll++
    line.waiting.push(() => {
      waitingInAll--
      begin(line, request, response)
    })
  }

  function open(socket: Socket): Line {
    const line: Line = { answering: null, waiting: [] }
    lines.set(socket, line)
    // Until then Node keeps them, also where an answer has told that no further request will be looked at.
    socket.once('close', () => forget(line))
    return line
  }

  function forget(line: Line): void {
    waitingInAll -= line.waiting.length
    line.waiting = []
  }

  function begin(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.answering = response
    // An event stream has ten listeners besides, with which Node would begin to warn of too many.
    response.setMaxListeners(20)
    // What came with its request could never be answered, and would keep the places of others.
    response.once('pipe', () => {
      if (isEventStream(response)) forget(line)
    })
    // Node does so by itself only with a body that nobody has begun to read; the next request comes behind it.
    response.once('finish', () => {
      if (!request.readableEnded) request.unpipe().resume()
    })
    response.once('close', () => {
      line.answering = null
      // Nor is anything begun that stands behind an answer with `Connection: close`.
      if (request.socket.writable) line.waiting.shift()?.()
    })
    answer(request, response)
  }
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream')
}
