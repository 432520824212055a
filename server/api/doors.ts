import { spawn } from 'node:child_process'
import type { Server } from 'node:http'
import { createServer, type Server as Listener, type Socket } from 'node:net'

/** How many connections can be taken up in one turn of the event loop beside the server's own one. */
const copies = 15

/**
 * Sends the listening socket that it is given back so often, each time as a descriptor of its own, and ends; with its
 * parent at the latest, or its port would stay taken.
 */
const copier = `
const { createServer } = require('node:net')
process.once('message', (copies, socket) => {
  const send = (kind, handle) => new Promise((sent) => process.send(kind, handle, sent))
  // It listens while it has the socket: who comes in here is sent on, with all that he says.
  const listener = createServer({ pauseOnConnect: true }, (guest) => send('guest', guest)).listen(socket)
  const doors = Array.from({ length: copies }, () => send('door', listener))
  Promise.all(doors).then(() => listener.close(() => process.disconnect()))
})
process.once('disconnect', () => process.exit())
// Node does not tell of an end of the channel that comes together with the message.
const parent = Number(process.argv[1])
setInterval(() => process.ppid === parent || process.exit(), 20)
`

export type Doors = {
  /** How many clients are connected, by whichever door they came. */
  connections(): number
  /** How many doors there are by now. */
  count(): number
  /** Closes all but the server's own; resolves when nobody is connected any more. */
  close(): Promise<void>
}

/**
 * Of each descriptor that it listens to, Node takes up one connection in a turn of its event loop (libuv since 1.45), and a
 * turn of a busy process takes tens of milliseconds: the last of 400 clients who come at once would wait for ten seconds,
 * whatever he asks for. So the socket of a listening server gets more descriptors, each a door to the same server. Node has
 * no call for that, but what is sent to a process and back is such a copy (SCM_RIGHTS). `most`: so many clients may be
 * connected, or one more; `onRefused` is told of others. `onFailed`: there are fewer doors than there were to be, perhaps
 * because no process can be started here.
 */
export function openDoors(
  server: Server,
  options: { most: number; backlog: number; onRefused: () => void; onFailed: () => void },
): Doors {
  const { most, backlog, onRefused, onFailed } = options
  const inside = new Set<Socket>()
  const doors: Listener[] = []
  let byOthers = 0
  let isClosed = false
  let isEmpty = () => undefined as void

  server.on('connection', (socket) => {
    inside.add(socket)
    socket.once('close', () => {
      inside.delete(socket)
      if (inside.size === 0) isEmpty()
    })
  })

  const enter = (socket: Socket) => {
    if (isClosed || inside.size >= most) {
      socket.destroy()
      if (!isClosed) onRefused()
      return
    }
    count(1)
    socket.once('close', () => count(-1))
    server.emit('connection', socket)
  }
  /** The server itself counts those only who come by its own door; 0 would be no limit. */
  const count = (more: number) => {
    byOthers += more
    server.maxConnections = Math.max(most - byOthers, 1)
  }
  // As Node's own servers for HTTP are, and ours.
  const door = () => createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, enter)
  const child = spawn(process.execPath, ['--eval', copier, String(process.pid)], {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('message', (kind, handle) => {
    if (kind === 'guest') {
      // Null: he has left meanwhile.
      if (handle) enter(Object.assign(handle as Socket, { allowHalfOpen: true }))
    } else if (isClosed) (handle as Listener).close()
    else doors.push(door().listen(handle, backlog))
  })
  const end = () => {
    if (!isClosed && doors.length < copies) onFailed()
  }
  child.once('error', end)
  child.once('disconnect', end)
  child.send(copies, server, () => undefined)
  child.unref()
  child.channel?.unref()

  return {
    connections: () => inside.size,
    count: () => 1 + doors.length,
    async close() {
      isClosed = true
      child.kill('SIGKILL')
      for (const one of doors) one.close()
      if (inside.size > 0) await new Promise<void>((resolve) => (isEmpty = resolve))
    },
  }
}
