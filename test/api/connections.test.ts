import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { connectionLimits } from '../../server/api/httpServer.js'
import { exchange, get } from '../fuzz/wire.js'
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
