import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientOf } from './clientOf.js'
import { heldTooMuch } from './heldTooMuch.js'

/** By connection, how many bytes of the answer on its way are in memory in any case, once for all who ask for them. */
const shared = new WeakMap<Socket, number>()

/** Tells that what is answered stands in memory anyway, so that nothing is kept for a client who does not read it. */
export function answersShared(response: ServerResponse, bytes: number): void {
  const { socket } = response
  if (!socket) return
  shared.set(socket, bytes)
  response.once('close', () => shared.delete(socket))
}

/**
 * Keeps what clients ask for and don't read within so many bytes: an answer stays in memory until it is taken, and who
 * has many connections need not take any. Of the address with most before it, the connection is cut first that has had
 * something before it for longest; `onCut` is told of each.
 */
export function cutUnread(
  server: Server,
  { mostBytes, checkEveryMs }: { mostBytes: number; checkEveryMs: number },
  onCut: () => void,
): void {
  const connected = new Set<Socket>()
  /** In the order in which they were found to have something before them. */
  const unread = new Set<Socket>()
  server.on('connection', (socket) => {
    connected.add(socket)
    socket.once('close', () => {
      connected.delete(socket)
      unread.delete(socket)
    })
  })
  const timer = setInterval(() => {
    let bytes = 0
    for (const socket of connected) {
      const own = unreadBytes(socket)
      bytes += own
      if (own > 0) unread.add(socket)
      else unread.delete(socket)
    }
    if (bytes <= mostBytes) return
    for (const { socket } of heldTooMuch([...unread].map(held), mostBytes)) {
      socket.destroy()
      onCut()
    }
  }, checkEveryMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

function held(socket: Socket): { socket: Socket; client: string; bytes: number } {
  return { socket, client: clientOf(socket.remoteAddress ?? '', ''), bytes: unreadBytes(socket) }
}

function unreadBytes(socket: Socket): number {
  return Math.max(socket.writableLength - (shared.get(socket) ?? 0), 0)
}
