import { expect } from 'chai'
import { type Api, createApi } from '../support/api.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'

describe('the items of `intents`', () => {
  let http: HttpLayer
  let api: Api

  before(async () => {
    http = await startHttpLayer({})
    api = createApi(http.url)
  })
  after(() => http.stop())

  it('are refused by name when they are no objects', async () => {
    for (const intent of [null, [], [[]], 'text', 1, true]) {
      const reply = await api.post('/actions', { user: `0x${'1a'.repeat(20)}`, intents: [intent] })
      expect(reply.status, JSON.stringify(intent)).to.equal(400)
      expect(reply.body.issues).to.deep.equal([
        { path: '/intents/0', message: 'intents[0] must be an object', code: 'type' },
      ])
    }
  })
})
