import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { exchange, get } from '../fuzz/wire.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'
import { until } from '../support/until.js'

const path = '/actions/019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e/events'

describe('event streams of a client', () => {
  const held: Socket[] = []
  let http: HttpLayer
  let open = 0

  before(async () => {
    http = await startHttpLayer(
      {
        async streamActionEvents({ signal }) {
          open++
          const over = new Promise<void>((end) => {
            signal.addEventListener('abort', () => {
              open--
              end()
            })
          })
          return {
            status: 200,
            body: (async function* () {
              await over
            })(),
          }
        },
      },
      { streamsPerClient: 2 },
    )
  })
  after(async () => {
    for (const socket of held) socket.destroy()
    await http.stop()
  })

  const follow = async (localAddress: string, question = get(path)) => {
    const count = open + 1
    const socket = connect({ port: Number(new URL(http.url).port), host: '127.0.0.1', localAddress })
    held.push(socket.resume())
    socket.write(question)
    await until(() => open === count, 'the stream')
    return socket
  }
  const refusal = async (from: string) => {
    const { answers } = await exchange(http.url, get(path), { from })
    expect(answers).to.have.length(1)
    const [{ status, headers, body }] = answers as [(typeof answers)[number]]
    const { code, retryAfter } = JSON.parse(body).error
    const told = [headers['retry-after'], headers['ratelimit'], headers['ratelimit-policy']]
    return [status, code, retryAfter, ...told]
  }

  const tooMany = [429, 'rate_limited', 5, '5', '"streams";r=0;t=5', '"streams";q=2']

  it('are as many at once as there may be, whatever others have open; who leaves one may open another', async () => {
    const first = await follow('127.0.0.2')
    await follow('127.0.0.2')
    expect(await refusal('127.0.0.2')).to.deep.equal(tooMany)
    await follow('127.0.0.3')
    first.destroy()
    await until(() => open === 2, 'the end of the first')
    await follow('127.0.0.2')
    expect(await refusal('127.0.0.2')).to.deep.equal(tooMany)
  })

  it('keep nothing of a body that is sent with the question', async () => {
    const length = 20_000_000
    const client = await follow('127.0.0.5', get(path, `Content-Length: ${length}\r\n`))
    client.write('x'.repeat(length))
    await until(() => client.writableLength === 0, 'all of it to be taken')
  })

  it('are none for who only asks for their headers', async () => {
    const head = get(path).toString().replace('GET', 'HEAD')
    for (let count = 0; count < 5; count++) {
      const { answers } = await exchange(http.url, head, { from: '127.0.0.4' })
      expect(answers.map(({ status }) => status)).to.deep.equal([200])
    }
  })
})
