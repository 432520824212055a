import { getEventListeners } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { createReaders } from '../../server/api/readers.js'
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
    client.write(asked.repeat(10))
    await until(() => begun === 1, 'the first one')
    client.destroy()
    await until(async () => (await http.connections()) === 0, 'the end of the connection')
    goOn()
    await others()
    expect(begun).to.equal(1)
  })

  it('end the connection where they are too many to be kept', async () => {
    const { port } = new URL(http.url)
    const client = connect(Number(port), '127.0.0.1')
    client.on('error', () => undefined)
    const closed = new Promise((resolve) => client.once('close', resolve))
    client.write(asked.repeat(300))
    await closed
    goOn()
    await others()
    expect(begun).to.be.lessThan(2)
  })
})

describe('a client that hangs up before its request is begun', () => {
  it('leaves nothing behind', async () => {
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
  it('are under way a few at a time, in the order in which they came, and not for who is gone', async () => {
    const read = createReaders(2)
    const begun: number[] = []
    const ends: (() => void)[] = []
    let isGone = false
    const all = [0, 1, 2, 3, 4].map((name) =>
      read(
        () => isGone && name === 3,
        async () => {
          begun.push(name)
          await new Promise<void>((end) => ends.push(end))
          if (name === 1) throw new Error('away')
          return name
        },
      ).catch((error: Error) => error.message),
    )
    await until(() => begun.length === 2, 'as many as there may be')
    await new Promise(setImmediate)
    expect(begun).to.deep.equal([0, 1])
    isGone = true
    for (const count of [3, 4]) {
      ends.shift()!()
      await until(() => begun.length === count, 'the next one')
    }
    for (const end of ends) end()
    expect(await Promise.all(all)).to.deep.equal([0, 'away', 2, null, 4])
    expect(begun).to.deep.equal([0, 1, 2, 4])
    expect(
      await read(
        () => false,
        async () => 'later',
      ),
    ).to.equal('later')
  })
})
