import { getEventListeners } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { connectionLimits } from '../../server/api/connections/httpServer.js'
import { exchange, get } from '../fuzz/wire.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'
import { until } from '../support/until.js'

describe('requests that a client sends without reading', () => {
  let http: HttpLayer
  let begun = 0
  let underWay = 0
  let most = 0
  let goOn: () => void = () => undefined

  before(async () => {
    http = await startHttpLayer({
      getLiveness: async () => ({ status: 200, body: { success: true, data: { status: 'ok' }, error: null } }),
      async listActions() {
        begun++
        most = Math.max(most, ++underWay)
        await new Promise<void>((resolve) => (goOn = resolve))
        underWay--
        return { status: 200, body: { success: true, data: { actions: [] }, error: null } as never }
      },
    })
  })
  beforeEach(() => {
    begun = underWay = most = 0
  })
  after(() => http.stop())

  const asked = 'GET /actions HTTP/1.1\r\nHost: a\r\n\r\n'

  /** By then whatever the service had been about to begin has begun: another client's request was answered since. */
  const others = async () => {
    const { answers } = await exchange(http.url, get('/livez').toString(), { answers: 1 })
    expect(answers.map(({ status }) => status)).to.deep.equal([200])
  }

  it('are answered one after the other, in their order', async () => {
    const answered = exchange(http.url, asked + asked + get('/livez').toString(), { answers: 3 })
    for (const count of [1, 2]) {
      await until(() => begun === count, `request ${count}`)
      await others()
      expect([begun, most]).to.deep.equal([count, 1])
      goOn()
    }
    expect((await answered).answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
  })

  it('are forgotten when he hangs up', async () => {
    const { port } = new URL(http.url)
    const client = connect(Number(port), '127.0.0.1')
    client.write(asked.repeat(1 + connectionLimits.waiting))
    await until(() => begun === 1, 'the first one')
    client.destroy()
    await until(async () => (await http.connections()) === 0, 'the end of the connection')
    goOn()
    await others()
    expect(begun).to.equal(1)
  })

  it('are kept where they are few', async () => {
    const count = 1 + connectionLimits.waiting
    const answered = exchange(http.url, asked.repeat(count), { answers: count })
    for (let index = 1; index <= count; index++) {
      await until(() => begun === index, `request ${index}`)
      goOn()
    }
    expect((await answered).answers.map(({ status }) => status)).to.deep.equal(Array(count).fill(200))
  })

  it('end the connection where they are too many to be kept', async () => {
    const cut = await exchange(http.url, asked.repeat(2 + connectionLimits.waiting))
    expect(cut).to.deep.include({ answers: [], isClosed: true })
    goOn()
    await others()
    expect(begun).to.be.lessThan(2)
  })
})

describe('requests that wait on all connections together', () => {
  it('are as many as there may be: one more ends its own connection, and no other', async () => {
    const ends: (() => void)[] = []
    const http = await startHttpLayer(
      {
        getLiveness: async () => ({ status: 200, body: { success: true, data: { status: 'ok' }, error: null } }),
        async getReadiness() {
          await new Promise<void>((end) => ends.push(end))
          return { status: 200, body: { success: true, data: { status: 'ok' }, error: null } }
        },
      },
      { connectionLimits: { ...connectionLimits, waitingInAll: 3 } },
    )
    const asked = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'
    const first = exchange(http.url, asked.repeat(3), { answers: 3 })
    await until(() => ends.length === 1, 'the first connection')
    expect(await exchange(http.url, asked.repeat(3))).to.deep.include({ answers: [], isClosed: true })
    // What that one had waiting is given up with it.
    const second = exchange(http.url, asked.repeat(2), { answers: 2 })
    await until(() => ends.length === 3, 'the connections after it')
    const alone = await exchange(http.url, get('/livez'), { answers: 1 })
    expect(alone.answers.map(({ status }) => status)).to.deep.equal([200])
    for (let index = 0; index < 6; index++) {
      await until(() => ends.length > index, `request ${index}`)
      ends[index]!()
    }
    for (const { answers } of [await first, await second]) {
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
    }
    await http.stop()
  })
})

describe('requests behind an event stream', () => {
  const stream = 'GET /actions/019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e/events HTTP/1.1\r\nHost: a\r\n\r\n'
  const probe = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'
  let http: HttpLayer
  let probes = 0
  let isOpen = false
  let end: () => void = () => undefined

  beforeEach(async () => {
    probes = 0
    const limits = { connectionLimits: { ...connectionLimits, waitingInAll: 1 } }
    http = await startHttpLayer(
      {
        async getLiveness() {
          probes++
          return { status: 200, body: { success: true, data: { status: 'ok' }, error: null } }
        },
        async streamActionEvents({ signal }) {
          isOpen = true
          const over = new Promise<void>((resolve) => (end = resolve))
          signal.addEventListener('abort', () => {
            isOpen = false
            end()
          })
          return {
            status: 200,
            body: (async function* () {
              await over
            })(),
          }
        },
      },
      limits,
    )
  })
  afterEach(() => http.stop())

  const open = async (bytes: string) => {
    const socket = connect(Number(new URL(http.url).port), '127.0.0.1')
    let received = ''
    let isClosed = false
    socket.on('data', (data: Buffer) => (received += data.toString()))
    socket.once('close', () => (isClosed = true))
    socket.write(bytes)
    await until(() => received.includes(': connected'), 'the stream')
    return { socket, received: () => received, isClosed: () => isClosed }
  }

  it('end it, as nobody could ever answer them', async () => {
    const client = await open(stream)
    expect(client.received()).to.match(/^Connection: close\r$/m)
    client.socket.write(probe)
    await until(() => client.isClosed() && !isOpen, 'the end of the connection')
    expect(probes).to.equal(0)
  })

  it('are left unanswered where they came before it had begun, which it says', async () => {
    const client = await open(stream + probe)
    expect(client.received()).to.match(/^Connection: close\r$/m)
    // They keep no place from others, however long it lasts.
    const { answers } = await exchange(http.url, probe + probe, { answers: 2 })
    expect(answers).to.have.length(2)
    probes = 0
    end()
    await until(() => client.isClosed(), 'the end of the stream')
    expect(probes).to.equal(0)
  })
})

describe('a client that hangs up before its request is begun', () => {
  it('has its handler find it gone, and leaves no listener behind', async () => {
    const asked: AbortSignal[] = []
    let open: () => void = () => undefined
    const http = await startHttpLayer(
      {
        async executeStep({ signal }) {
          asked.push(signal)
          throw new Error('nobody hears it')
        },
      },
      { requireOpen: () => new Promise((resolve) => (open = resolve)) },
    )
    const { port } = new URL(http.url)
    const client = connect(Number(port), '127.0.0.1')
    const waits = open
    const path = '/actions/0193a1c0-7b1e-7f3a-8c52-1d2e3f405162/intents/0/steps/0'
    client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`)
    await until(() => open !== waits, 'the request')
    client.destroy()
    await until(async () => (await http.connections()) === 0, 'the end of the connection')
    open()
    await until(() => asked.length === 1, 'the handler')
    expect(asked[0]!.aborted).to.equal(true)
    expect(getEventListeners(http.shutdown.signal, 'abort')).to.deep.equal([])
    await http.stop()
  })
})

describe('reads that come at once', () => {
  it('are sixteen at a time where each asks for itself, and steps, pages and chains do not wait for those', async () => {
    const id = '019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e'
    let underWay = 0
    let end: () => void = () => undefined
    const over = new Promise<void>((resolve) => (end = resolve))
    const stay = async () => {
      underWay++
      await over
      return { status: 200, body: { success: true, data: [] } } as never
    }
    const http = await startHttpLayer({
      getAction: stay,
      getStep: stay,
      listChains: async () => ({ status: 200, body: { success: true, data: [] } }) as never,
    })
    const ask = (path: string, count: number) =>
      Array.from({ length: count }, () => exchange(http.url, get(path), { answers: 1 }))
    try {
      const asked = ask(`/actions/${id}`, 20)
      await until(() => underWay === 16, 'as many actions as are read at once')
      asked.push(...ask(`/actions/${id}/intents/0/steps/0`, 70))
      await until(() => underWay === 16 + 64, 'as many steps as share a statement')
      const [chains] = await Promise.all(ask('/chains', 1))
      expect(chains!.answers.map(({ status }) => status)).to.deep.equal([200])
      expect(underWay).to.equal(16 + 64)
      end()
      await Promise.all(asked)
      expect(underWay).to.equal(20 + 70)
    } finally {
      end()
      await http.stop()
    }
  })
})
