import { type ChildProcess, spawn } from 'node:child_process'
import type { Server } from 'node:http'
import { createServer, type Server as Listener, type Socket } from 'node:net'

/** How many doors there are beside the server's own; each lets one connection more in per turn of the event loop. */
const copies = 15
/** After how many clients the doors open: fewer wait for no more turns than this, and many a process never has more. */
const crowd = 16

/**
 * What the child process runs: it sends the listening socket that it is given back `copies` times, each time as a
 * descriptor of its own, and exits. It exits with its parent at the latest, or the port would stay taken.
 */
const copier = `
process.once('message', (copies, socket) => {
  const send = () => new Promise((sent) => process.send('door', socket, sent))
  Promise.all(Array.from({ length: copies }, send)).then(() => process.disconnect())
})
process.once('disconnect', () => process.exit())
// Node emits no 'disconnect' where the channel ends together with the message.
const parent = Number(process.argv[1])
setInterval(() => process.ppid === parent || process.exit(), 20)
`

export type Doors = {
  /** How many clients are connected, by whichever door they came. */
  connections(): number
  /** How many doors there are by now. */
  count(): number
  /** Closes all doors but the server's own; resolves when they are closed and no client is connected any more. */
  close(): Promise<void>
}

type DoorOptions = {
  /** How many clients may be connected at once. The server's own door may let one more in. */
  most: number
  backlog: number
  /** Called for each client that was one too many. */
  onRefused: () => void
  /** Called once if fewer doors could be opened than there were to be, such as where no process may be started. */
  onFailed: () => void
}

/**
 * Node accepts one connection for each listening descriptor in a turn of its event loop (libuv since 1.45), and a turn
 * of a busy process takes tens of milliseconds: the last of 400 clients who connect at once would wait for ten seconds,
 * whatever he asks for. So once more than a few clients have come, the socket of a listening server gets more
 * descriptors, each a door to the same server. Node has no call that copies one, but what is sent to a process and back
 * is such a copy (SCM_RIGHTS).
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
    // Counts all who have come, not those who are inside: who is answered at once is gone while hundreds still wait.
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
  /**
   * The server's limit counts only those who come by its own door, so it shrinks by the others; 0 would be no limit.
   */
  const count = (more: number) => {
    byOthers += more
    server.maxConnections = Math.max(most - byOthers, 1)
  }
  const add = (handle: object) => {
    // The options that Node's servers for HTTP have, and ours.
    const door = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, enter)
    // A door that can't listen is one door less.
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

/** Gives `take` copies of the server's listening socket, as raw handles, until `ended` resolves. Never throws. */
function copy(server: Server, take: (handle: object) => void): { ended: Promise<void>; stop(): void } {
  let child: ChildProcess
  try {
    child = spawn(process.execPath, ['--eval', copier, String(process.pid)], {
      // The child is told nothing of our configuration, which has secrets.
      env: {},
      // A process group of its own, so that Ctrl-C does not end it halfway.
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
  } catch {
    return { ended: Promise.resolve(), stop: () => undefined }
  }
  const ended = new Promise<void>((resolve) => {
    // A process that could not be started only emits `error`; Node emits no `disconnect` while a handle is on its way.
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
    // The raw handle, as a child that gets a server begins to listen too, and never answers the clients whom it
    // accepts. Node does not document `_handle`; where there is none, no copy comes back.
    const { _handle: handle } = server as unknown as { _handle: Server }
    child.send(copies, handle, () => undefined)
  } catch {
    stop()
  }
  return { ended, stop }
}
