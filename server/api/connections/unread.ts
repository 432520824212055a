import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientOf } from './clientOf.js'
import { heldTooMuch } from './heldTooMuch.js'

/** By connection, how many bytes of the answer on its way are in memory anyway, shared by all who ask for them. */
const shared = new WeakMap<Socket, number>()

/** Tells that an answer's bytes are in memory anyway, so that they don't count as kept for a client who reads none. */
export function answersShared(response: ServerResponse, bytes: number): void {
  const { socket } = response
  if (!socket) return
  shared.set(socket, bytes)
  response.once('close', () => shared.delete(socket))
}

/**
 * Keeps all answers that clients have asked for and not read within `mostBytes`: an answer stays in memory until its
 * client takes it, and one with many connections need not take any. Of the client with most unread bytes, the
 * connection is cut first that has had any for longest. `onCut` is called for each.
 */
export function cutUnread(
  server: Server,
  { mostBytes, checkEveryMs }: { mostBytes: number; checkEveryMs: number },
  onCut: () => void,
): void {
  const connected = new Set<Socket>()
  /** Connections with unread bytes, in the order in which they were found to have some. */
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
