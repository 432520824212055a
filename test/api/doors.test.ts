import { ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createListener, type Socket } from 'node:net'
import { expect } from 'chai'
import { type Doors, openDoors } from '../../server/api/connections/doors.js'
import { isFree } from '../support/freePort.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'

describe('the doors of a server', () => {
  let server: Server
  let doors: Doors | null
  let refused = 0
  let failed = 0
  const portOf = () => (server.address() as AddressInfo).port

  beforeEach(async () => {
    refused = 0
    failed = 0
    doors = null
    server = createServer((request, response) => void request.pipe(response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    server.close()
    server.closeAllConnections()
    await doors?.close()
    expect(failed, 'how often it failed').to.equal(0)
  })

  const open = (most = 10_000) =>
    (doors = openDoors(server, {
      most,
      backlog: 4_096,
      onRefused: () => void refused++,
      onFailed: () => void failed++,
    }))
  /** By itself as many clients as have the doors opened. */
  const fill = (count = 16) => Array.from({ length: count }, () => connect(portOf(), '127.0.0.1'))
  const leave = async (clients: Socket[]) => {
    for (const client of clients) client.destroy()
    await until(() => doors!.connections() === 0, 'their end')
  }
  const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const openAll = async (most?: number) => {
    open(most)
    const clients = fill()
    await until(() => doors!.count() === 16, 'all doors')
    await leave(clients)
  }

  it('are opened once sixteen clients have come, and not before', async () => {
    open()
    const before = children()
    const clients = fill(15)
    await until(() => doors!.connections() === 15, 'fifteen')
    expect(children()).to.deep.equal(before)
    await leave(clients)
    expect(await echoed('the sixteenth')).to.equal('the sixteenth')
    await until(() => doors!.count() === 16, 'all doors')
  })

  it('let in many in one turn of a busy event loop', async () => {
    const clients = 200
    const before = await turnsFor(clients)
    await openAll()
    const after = await turnsFor(clients)
    expect(before).to.be.at.least(clients)
    expect(after, `turns beside ${before}`).to.be.below(clients / 4)
  }).timeout(20_000)

  it('are opened while a crowd comes, for the rest of it', async () => {
    const clients = 400
    open()
    expect(await turnsFor(clients)).to.be.below(clients / 2)
  }).timeout(20_000)

  it('answer everybody who comes while they are opened, whole', async () => {
    const bodies = Array.from({ length: 300 }, (_, index) => `${index}`.repeat(500))
    open()
    const clients = fill()
    const answers: Promise<string>[] = []
    for (const body of bodies) {
      answers.push(echoed(body))
      await pause(1)
    }
    expect(await Promise.all(answers)).to.deep.equal(bodies)
    await until(() => doors!.count() === 16, 'all doors')
    await leave(clients)
  })

  it('let in no more than there may be, and others once some have left', async () => {
    await openAll(20)
    const clients = Array.from({ length: 60 }, () => connect(portOf(), '127.0.0.1'))
    await until(() => refused + doors!.connections() >= 40, 'those who are refused')
    expect(doors!.connections()).to.be.within(1, 21)
    for (const client of clients) client.destroy()
    await until(() => doors!.connections() === 0, 'their end')
    expect(await echoed('again')).to.equal('again')
  })

  it('are all closed with it, and wait for those inside', async () => {
    await openAll()
    const port = portOf()
    const client = connect(port, '127.0.0.1')
    await until(() => doors!.connections() === 1, 'the client')
    const closed = doors!.close().then(() => 'closed')
    server.close()
    await until(() => refuses(port), 'all doors to be closed')
    expect(await Promise.race([closed, 'with somebody inside'])).to.equal('with somebody inside')
    client.destroy()
    await closed
    const next = createListener().listen(port, '127.0.0.1')
    await once(next, 'listening')
    next.close()
  })

  for (const afterMs of [0, 20, 40, 60, 80, 120]) {
    it(`closed ${afterMs} ms after they were opened leave nobody who listens`, async () => {
      const port = portOf()
      open()
      const clients = fill()
      await until(() => doors!.connections() === clients.length, 'the sixteen')
      await pause(afterMs)
      for (const client of clients) client.destroy()
      server.close()
      await doors!.close()
      await until(() => isFree(port), 'the port', 1_000)
    })
  }

  it('leave no process behind', async () => {
    const before = children()
    await openAll()
    await until(() => children().every((pid) => before.includes(pid) || pid === ''), 'its end')
  })

  const spawnSync = () => {
    throw Object.assign(new Error('spawn EPERM'), { code: 'EPERM' })
  }
  const faults: [string, () => () => void][] = [
    ['is not there', () => replaced(process, 'execPath', '/nowhere/node')],
    ['may not be started', () => replaced(ChildProcess.prototype as object, 'spawn', spawnSync)],
    ['ends at once', () => replaced(process, 'execPath', '/bin/false')],
  ]
  for (const [what, makeFault] of faults) {
    it(`are the server’s own where the process that copies ${what}, and that is told`, async () => {
      open()
      const mend = makeFault()
      const clients = fill()
      try {
        await until(() => failed === 1, 'the failure')
      } finally {
        mend()
      }
      expect(await echoed('hello')).to.equal('hello')
      await leave(clients)
      failed = 0
    })
  }

  async function echoed(body: string): Promise<string> {
    const headers = { connection: 'close' }
    return (await fetch(`http://127.0.0.1:${portOf()}`, { method: 'POST', body, headers })).text()
  }

  /** How many turns of 5 ms it takes until as many new clients of another process have their answers. */
  async function turnsFor(clients: number): Promise<number> {
    const client = spawn(process.execPath, ['-e', clientProgram, `${portOf()}`, `${clients}`], { stdio: 'ignore' })
    let isOver = false
    let turns = 0
    const turn = () => {
      if (isOver) return
      turns += 1
      for (const end = performance.now() + 5; performance.now() < end;);
      setImmediate(turn)
    }
    server.once('connection', turn)
    await endOf(client)
    isOver = true
    return turns
  }
})

/** Comes as often as it is told, at once, and ends when all are answered. */
const clientProgram = `
const [port, clients] = process.argv.slice(1).map(Number)
let left = clients
for (let i = 0; i < clients; i++) {
  const socket = require('node:net').connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
  socket.resume()
  socket.on('close', () => (left -= 1) || process.exit())
}
`

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode === null) await once(child, 'exit')
}

/** Whether nobody takes up connections there any more. */
function refuses(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(port, '127.0.0.1', () => probe.destroy())
    probe.once('error', () => resolve(true))
    probe.once('close', () => resolve(false))
  })
}

/** Puts something else there; the answer undoes it. */
function replaced(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, configurable: true, writable: true })
  return () => {
    if (before) Object.defineProperty(target, name, before)
    else delete (target as Record<string, unknown>)[name]
  }
}
