import { expect } from 'chai'
import { clipLists, mostItems } from '../../server/api/clipLists.js'
import { forValidation, loadSpec } from '../../server/api/spec.js'
import { createApi } from '../support/api.js'
import { startHttpLayer } from '../support/httpLayer.js'

describe('lists that are longer than any may be', () => {
  it('are cut to one more than that, wherever they are, and others are left as they are', () => {
    const list = (length: number) => Array.from({ length }, (_, index) => index)
    const body = { long: list(100_000), fits: list(mostItems), deeper: [{ long: list(mostItems + 2) }] }
    clipLists(body)
    expect(body.long).to.deep.equal(list(mostItems + 1))
    expect(body.fits).to.deep.equal(list(mostItems))
    expect(body.deeper[0]!.long).to.have.length(mostItems + 1)
  })

  it('are looked for no deeper than there may be any', () => {
    clipLists(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))
  })

  it('are none that the spec allows', async () => {
    const { paths } = forValidation((await loadSpec()).document) as { paths: Record<string, Record<string, Operation>> }
    const limits: unknown[] = []
    const look = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      if ((node as { type?: unknown }).type === 'array') limits.push((node as { maxItems?: unknown }).maxItems)
      Object.values(node).forEach(look)
    }
    for (const { post } of Object.values(paths)) look(post?.requestBody?.content['application/json']?.schema)
    expect(limits).to.have.length.above(5)
    for (const limit of limits) expect(limit).to.be.a('number').that.is.at.most(mostItems)
  })

  it('are refused by the first rule that they break', async () => {
    const http = await startHttpLayer({ createAction: () => Promise.reject(new Error('nobody comes so far')) })
    try {
      const body = `{"user":"0x${'12'.repeat(20)}","intents":[],"chainAuthorizations":[${'{},'.repeat(80_000)}{}]}`
      const reply = await createApi(http.url).post('/actions', body)
      expect(reply.status).to.equal(400)
      expect(reply.body.issues).to.have.length(50)
      expect(reply.body.issues).to.deep.include({
        path: '/chainAuthorizations',
        message: 'chainAuthorizations must have at most 64 items',
        code: 'maxItems',
      })
    } finally {
      await http.stop()
    }
  })
})

type Operation = { requestBody?: { content: Record<string, { schema: unknown }> } }
