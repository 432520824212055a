import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { connectionLimits } from '../../server/api/connections/httpServer.js'
import { exchange, expectRefused, get } from '../fuzz/wire.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'
import { until } from '../support/until.js'

describe('more clients than may be connected', () => {
  const most = 3
  const held: Socket[] = []
  let http: HttpLayer

  before(async () => {
    http = await startHttpLayer(
      { getLiveness: async () => ({ status: 200, body: { success: true, data: { status: 'ok' }, error: null } }) },
      { connectionLimits: { ...connectionLimits, connections: most } },
    )
  })
  after(async () => {
    for (const socket of held) socket.destroy()
    await http.stop()
  })

  it('are turned away at once, while those who are here are served; a place that gets free is given away', async () => {
    const port = Number(new URL(http.url).port)
    for (let index = 0; index < most; index++) held.push(connect(port, '127.0.0.1'))
    await until(async () => (await http.connections()) === most, 'the connections')

    const tooMany = await exchange(http.url, get('/livez'))
    expect(tooMany).to.deep.include({ answers: [], isClosed: true })
    expect(tooMany.ms).to.be.lessThan(2_000)
    expect(http.refused()).to.equal(1)

    const [first] = held
    const answer = new Promise<string>((resolve) => first!.once('data', (data) => resolve(data.toString())))
    first!.write(get('/livez'))
    expect(await answer).to.match(/^HTTP\/1\.1 200 /)

    await until(async () => (await http.connections()) < most, 'a free place')
    const [served] = (await exchange(http.url, get('/livez'), { answers: 1 })).answers
    expect(served?.status).to.equal(200)
  })
})

describe('headers of a request', () => {
  let http: HttpLayer

  before(async () => {
    http = await startHttpLayer({
      getLiveness: async () => ({ status: 200, body: { success: true, data: { status: 'ok' }, error: null } }),
    })
  })
  after(() => http.stop())

  it('are refused with 431 where they are more than what is read', async () => {
    const { headers: most } = connectionLimits
    // Two are there already.
    const ask = (headers: number) => get('/livez', 'a:\r\n'.repeat(headers - 2))
    const [served] = (await exchange(http.url, ask(most))).answers
    expect(served?.status).to.equal(200)
    for (const headers of [most + 1, 128, 129, 160, 1_000, 3_000]) {
      const sent = await exchange(http.url, ask(headers))
      expectRefused(sent, `${headers} headers`, [431])
      expect(sent.answers).to.have.length(1)
    }
  })

  it('are refused by the name that the client gives its request, or by a new one, which the log has', async () => {
    const idOf = async (request: string | Buffer) =>
      (await exchange(http.url, request)).answers[0]!.headers['x-request-id']
    expect(await idOf(get('/livez', `x-request-id: mine\r\n${'a:\r\n'.repeat(200)}`))).to.equal('mine')
    expect(await idOf('GET /livez HTTP/1.1\r\nx-request-id: other\r\n\r\n')).to.equal('other')
    const made = await idOf('GET /livez HTTP/1.1\r\nx-request-id: mine\r\n: none\r\n\r\n')
    expect(made).to.match(/^[0-9a-f-]{36}$/)
    const told = http.log.filter(({ msg }) => msg === 'request refused unread')
    expect(told.slice(-3).map(({ requestId, status }) => [requestId, status])).to.deep.equal([
      ['mine', 431],
      ['other', 400],
      [made, 400],
    ])
  })
})

/** More than what the kernel takes in for a client that does not read. */
const bytes = 10_000_000

/** Answers `/openapi.yaml` with so many bytes; two and a half of such answers may lie unread. */
function startLargeAnswers(onAsked: () => void): Promise<HttpLayer> {
  return startHttpLayer(
    {
      getLiveness: async () => ({ status: 200, body: { success: true, data: { status: 'ok' }, error: null } }),
      async getOpenapiYaml() {
        onAsked()
        return { status: 200, body: 'x'.repeat(bytes) }
      },
    },
    { connectionLimits: { ...connectionLimits, unreadBytes: 2.5 * bytes, checkEveryMs: 50 } },
  )
}

describe('answers that nobody reads', () => {
  const held: Socket[] = []
  let asked = 0
  let http: HttpLayer

  before(async () => {
    http = await startLargeAnswers(() => asked++)
  })
  after(async () => {
    for (const socket of held) socket.destroy()
    await http.stop()
  })

  it('are kept up to a limit; beyond, those who came first are cut, and others still get theirs whole', async () => {
    const port = Number(new URL(http.url).port)
    for (let index = 0; index < 4; index++) {
      const socket = connect(port, '127.0.0.1').pause()
      held.push(socket)
      socket.on('error', () => undefined)
      socket.write(get('/openapi.yaml'))
      await until(() => asked > index, 'the request')
    }
    await until(() => http.unread() > 0, 'the first to be cut')
    await until(async () => (await http.connections()) === 2, 'the connections that are left')
    expect(http.unread()).to.equal(2)
    const lengths = await Promise.all(held.map(lengthRead))
    expect(lengths.map((length) => length < bytes)).to.deep.equal([true, true, false, false])
    expect(http.unread()).to.equal(2)
  })

  it('do not count once they are read', async () => {
    for (let count = 0; count < 6; count++) {
      const socket = connect(Number(new URL(http.url).port), '127.0.0.1')
      held.push(socket)
      socket.write(get('/openapi.yaml'))
      expect(await lengthRead(socket)).to.be.greaterThan(bytes)
    }
    expect(http.unread()).to.equal(2)
  })
})

describe('answers that nobody reads and others that somebody reads slowly', () => {
  const held: Socket[] = []
  let asked = 0
  let http: HttpLayer

  beforeEach(async () => {
    asked = 0
    http = await startLargeAnswers(() => asked++)
  })
  afterEach(async () => {
    for (const socket of held.splice(0)) socket.destroy()
    await http.stop()
  })

  const leave = (path: string, localAddress: string, times = 1) => {
    const socket = connect({ port: Number(new URL(http.url).port), host: '127.0.0.1', localAddress }).pause()
    held.push(socket)
    socket.on('error', () => undefined)
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    socket.write(request.repeat(times))
    return socket
  }

  it('are cut at the address that leaves most of them', async () => {
    const slow = leave('/openapi.yaml', '127.0.0.2')
    await until(() => asked === 1, 'the one who is slow')
    for (let index = 0; index < 3; index++) leave('/openapi.yaml', '127.0.0.3')
    await until(() => asked === 4 && http.unread() === 2, 'the others')
    expect(await lengthRead(slow)).to.be.greaterThan(bytes)
    expect(http.unread()).to.equal(2)
  })

  it('are not cut for files, which are in memory once for all', async () => {
    const slow = leave('/openapi.yaml', '127.0.0.2')
    await until(() => asked === 1, 'the one who is slow')
    // What the kernel takes in is sent before the last of these.
    for (let index = 0; index < 20; index++) leave('/docs/scalar.js', '127.0.0.3', 8)
    const stuck = () => http.log.filter(({ path }) => path === '/docs/scalar.js').length
    await until(() => stuck() >= 20, 'what the kernel takes in')
    expect([http.unread(), await http.connections()]).to.deep.equal([0, 21])
    // A look cuts at another address, and would have cut the files first if they counted.
    const unread = Array.from({ length: 3 }, () => leave('/openapi.yaml', '127.0.0.4'))
    await until(() => http.unread() > 0, 'a look that cuts')
    await until(async () => (await http.connections()) === 22, 'the connections that are left')
    const lengths = await Promise.all(unread.map(lengthRead))
    expect(lengths.filter((length) => length < bytes)).to.have.length(2)
    expect(http.unread()).to.equal(2)
    expect(await lengthRead(slow)).to.be.greaterThan(bytes)
  })
})

/** How many bytes come until there is an end, or as many as were asked for. */
function lengthRead(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let length = 0
    socket.on('data', (data) => {
      length += data.length
      if (length > bytes) resolve(length)
    })
    socket.once('close', () => resolve(length))
    socket.resume()
  })
}
