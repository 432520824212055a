import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Keeps what clients ask for and don't read within so many bytes: an answer stays in memory until it is taken, and who has
 * many connections need not take any. Whoever has had one before him for longest is cut first; `onCut` is told of each.
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
      bytes += socket.writableLength
      if (socket.writableLength > 0) unread.add(socket)
      else unread.delete(socket)
    }
    for (const socket of unread) {
      if (bytes <= mostBytes) break
      bytes -= socket.writableLength
      socket.destroy()
      onCut()
    }
  }, checkEveryMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}
