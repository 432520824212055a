import { expect } from 'chai'
import { beginningOf, clipLists, mostItems } from '../../server/api/requests/clipLists.js'
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

describe('the beginning of a body', () => {
  it('is all of one that is no larger than was counted', () => {
    const body = { list: [1, 2, { three: 3 }], text: 'four' }
    expect(clipLists(body)).to.equal(7)
    expect(beginningOf(body, 7)).to.deep.equal(body)
    expect(beginningOf(body, 4)).to.deep.equal({ list: [1, 2], text: 'four' })
  })

  it('ends its lists where so much has been seen, and leaves none empty', () => {
    const body = { lists: [[1, 2], [3, 4], [5]], last: [6, 7], none: [] }
    expect(beginningOf(body, 6)).to.deep.equal({ lists: [[1, 2], [3]], last: [6], none: [] })
    expect(body.lists).to.have.length(3)
  })

  it('is enough to refuse what is wrong all over, and what is wrong at its end only is found as well', async () => {
    const http = await startHttpLayer({ createAction: () => Promise.reject(new Error('nobody comes so far')) })
    try {
      const api = createApi(http.url)
      const call = { to: `0x${'12'.repeat(20)}`, value: '0', data: '0x' }
      const issuesOf = async (calls: object[][]) => {
        const chainBatches = calls.map((these) => ({
          hash: `0x${'12'.repeat(32)}`,
          chainId: 1,
          tokenTransfers: [],
          calls: these,
        }))
        const intent = {
          mode: '7702',
          signatureType: 'ecdsa',
          signature: `0x${'12'.repeat(65)}`,
          nbf: 0,
          exp: 1,
          chainBatches,
        }
        const reply = await api.post('/actions', { user: call.to, chainAuthorizations: [], intents: [intent] })
        expect(reply.status).to.equal(400)
        return (reply.body.issues as { path: string }[]).map(({ path }) => path)
      }
      const full = Array.from({ length: 64 }, () => call)
      const all = await issuesOf(Array.from({ length: 16 }, () => full.map(() => ({ to: 1 }))))
      expect(all).to.have.length(50)
      expect(all[0]).to.match(/^\/intents\/0\/chainBatches\/0\/calls\/0\//)
      const last = Array.from({ length: 16 }, (_none, batch) =>
        batch < 15 ? full : [...full.slice(1), { ...call, to: 1 }],
      )
      expect(await issuesOf(last)).to.deep.equal(['/intents/0/chainBatches/15/calls/63/to'])
    } finally {
      await http.stop()
    }
  })
})

type Operation = { requestBody?: { content: Record<string, { schema: unknown }> } }
