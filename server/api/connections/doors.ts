import { type ChildProcess, spawn } from 'node:child_process'
import type { Server } from 'node:http'
import { createServer, type Server as Listener, type Socket } from 'node:net'

/** How many connections can be taken up in one turn of the event loop beside the server's own one. */
const copies = 15
/** After how many clients: fewer don't wait for more turns than this, and many a process never has more. */
const crowd = 16

/**
 * Sends the listening socket that it is given back that many times, each time as a descriptor of its own, and ends; with its
 * parent at the latest, or the port would stay taken.
 */
const copier = `
process.once('message', (copies, socket) => {
  const send = () => new Promise((sent) => process.send('door', socket, sent))
  Promise.all(Array.from({ length: copies }, send)).then(() => process.disconnect())
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
  /** Closes all but the server's own; resolves when they are closed and nobody is connected any more. */
  close(): Promise<void>
}

type DoorOptions = {
  /** How many clients may be connected at once; it may become one more. */
  most: number
  backlog: number
  /** Told of each client that was one too many. */
  onRefused: () => void
  /** Told once if there are fewer doors than there were to be, such as where no process may be started. */
  onFailed: () => void
}

/**
 * Of each descriptor that it listens to, Node takes up one connection in a turn of its event loop (libuv since 1.45), and a
 * turn of a busy process takes tens of milliseconds: the last of 400 clients who come at once would wait for ten seconds,
 * whatever he asks for. So the socket of a listening server gets more descriptors, each a door to the same server, once more
 * than a few clients have come. Node has no call for that, but what is sent to a process and back is such a copy (SCM_RIGHTS).
 */
export function openDoors(server: Server, { most, backlog, onRefused, onFailed }: DoorOptions): Doors {
  const inside = new Set<Socket>()
  const doors: Listener[] = []
  let copying: ReturnType<typeof copy> | undefined
  let come = 0
  let byOthers = 0
  let isClosed = false
  let isEmpty = () => undefined as void

  server.on('connection', (socket) => {
    inside.add(socket)
    // Not how many are inside: who is answered at once is gone while hundreds wait for their turn.
    if (++come >= crowd && !isClosed) copying ??= begin()
    socket.once('close', () => {
      inside.delete(socket)
      if (inside.size === 0) isEmpty()
    })
  })

  const enter = (socket: Socket) => {
    if (inside.size >= most) {
      socket.destroy()
      onRefused()
      return
    }
    count(1)
    socket.once('close', () => count(-1))
    server.emit('connection', socket)
  }
  /** The server itself counts only those who come by its own door; 0 would be no limit. */
  const count = (more: number) => {
    byOthers += more
    server.maxConnections = Math.max(most - byOthers, 1)
  }
  const add = (handle: object) => {
    // As Node's own servers for HTTP are, and ours.
    const door = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, enter)
    // One that can't listen is one less.
    door.on('error', () => undefined)
    door.listen(handle, backlog)
    if (isClosed) door.close()
    else doors.push(door)
  }
  const begin = () => {
    const begun = copy(server, add)
    void begun.ended.then(() => {
      if (!isClosed && doors.length < copies) onFailed()
    })
    return begun
  }

  return {
    connections: () => inside.size,
    count: () => 1 + doors.length,
    async close() {
      isClosed = true
      for (const door of doors) door.close()
      copying?.stop()
      await copying?.ended
      if (inside.size > 0) await new Promise<void>((resolve) => (isEmpty = resolve))
    },
  }
}

/** Hands on copies of the server's listening socket, as raw handles. `ended`: no more will come. Never throws. */
function copy(server: Server, take: (handle: object) => void): { ended: Promise<void>; stop(): void } {
  let child: ChildProcess
  try {
    child = spawn(process.execPath, ['--eval', copier, String(process.pid)], {
      // Nothing of what we are configured with.
      env: {},
      // A process group of its own, so that Ctrl-C does not end it halfway.
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
  } catch {
    return { ended: Promise.resolve(), stop: () => undefined }
  }
  const ended = new Promise<void>((resolve) => {
    // Of what never was a process there is only an error; and Node tells of no disconnection while a handle is on its way.
    child.once('error', () => resolve())
    child.once('disconnect', () => resolve())
    child.once('exit', function untilRead() {
      if (child.connected) setImmediate(untilRead)
      else resolve()
    })
  })
  child.on('error', () => undefined)
  child.on('message', (_kind, handle) => handle && take(handle))
  child.unref()
  child.channel?.unref()
  const stop = () => {
    child.kill('SIGKILL')
    child.ref()
    child.channel?.ref()
  }
  try {
    // Not the server itself, which the child would begin to listen to as well: whom it took up would wait for it. Node does
    // not document the handle; where there is none, nothing comes back.
    const { _handle: handle } = server as unknown as { _handle: Server }
    child.send(copies, handle, () => undefined)
  } catch {
    stop()
  }
  return { ended, stop }
}
