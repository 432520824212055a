import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** How many requests may wait for those before them: on one connection, and on all together. */
export type WaitingLimits = { waiting: number; waitingInAll: number }

/** A connection's requests: the response on its way, if there is one, and what begins each that waits behind it. */
type Line = { answering: ServerResponse | null; waiting: (() => void)[] }

/**
 * Has a connection's requests answered one after the other, however many a client sends before it reads. Node itself
 * emits all of them at once, and keeps each in memory whole, as it does answers that are ready before their turn. A
 * connection is cut where more requests come than may wait, or where one comes behind an event stream and would wait
 * for ever. Waiting requests of a client that has hung up are forgotten.
 */
export function inTurn(answer: Answer, limits: WaitingLimits): Answer {
  const lines = new WeakMap<Socket, Line>()
  let waitingInAll = 0

  return (request, response) => {
    const { socket } = request
    // Node goes on to emit requests that came in one piece with the one for which the connection was cut.
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
    // Waiting requests are in memory until then, also where an answer has said `Connection: close`.
    socket.once('close', () => forget(line))
    return line
  }

  function forget(line: Line): void {
    waitingInAll -= line.waiting.length
    line.waiting = []
  }

  function begin(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.answering = response
    // The response of an event stream has ten listeners besides these; above ten, Node would warn of a leak.
    response.setMaxListeners(20)
    // Requests that came with that of an event stream could never be answered, and would keep the places of others.
    response.once('pipe', () => {
      if (isEventStream(response)) forget(line)
    })
    // Reads what is left of the body, as the next request is behind it. Node does so only if nobody has begun to.
    response.once('finish', () => {
      if (!request.readableEnded) request.unpipe().resume()
    })
    response.once('close', () => {
      line.answering = null
      // After an answer with `Connection: close` the socket is not writable, and nothing that waits is begun.
      if (request.socket.writable) line.waiting.shift()?.()
    })
    answer(request, response)
  }
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream')
}
