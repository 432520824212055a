import { request as rawRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { keccak256, stringToHex } from 'viem'
import type { ActionErrorBody, ErrorBody, VenueTxHashesFound } from '../../server/api/generated/types.gen.js'
import { useTestService } from '../support/useTestService.js'
import { newUser } from '../support/wallets.js'

describe('the API over HTTP', () => {
  const { service, api } = useTestService()

  const record = () => ({
    address: newUser().address,
    txHash: `0x${'ab'.repeat(32)}`,
    actionType: 'deposit',
    venue: 'a-venue',
    chainId: 31337,
  })

  it('answers unknown routes with 404 and other methods with 405 and what is allowed', async () => {
    const unknown = await api.get('/nowhere')
    expect(unknown.status).to.equal(404)
    expect(unknown.body).to.deep.include({ success: false, data: null })
    expect(unknown.body.error.code).to.equal('not_found')
    const method = await api.request('DELETE', '/venue-tx-hashes')
    expect(method.status).to.equal(405)
    expect(method.headers.get('allow')).to.contain('GET').and.to.contain('POST')
    expect(method.body.error.code).to.equal('method_not_allowed')
  })

  it('answers unknown and malformed actions with 404 and malformed indexes with 400', async () => {
    for (const id of ['nonsense', '019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e']) {
      expect((await api.get(`/actions/${id}`)).status).to.equal(404)
      expect((await api.get(`/actions/${id}/intents/0/steps/0`)).status).to.equal(404)
      expect((await api.post(`/actions/${id}/intents/0/steps/0`)).status).to.equal(404)
    }
    for (const index of ['x', '-1', '1.5', '1e1']) {
      const reply = await api.get(`/actions/019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e/intents/${index}`)
      expect(reply.status, index).to.equal(400)
      expect(reply.body.error.code).to.equal('validation_failed')
    }
  })

  it('refuses bodies that are no JSON, of another type, packed wrongly or too large', async () => {
    const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
      fetch(service.url + path, { method: 'POST', body, headers })
    const json = { 'content-type': 'application/json' }
    const bad = await post('/venue-tx-hashes', '{"a":', json)
    expect(bad.status).to.equal(400)
    expect(((await bad.json()) as ErrorBody).error.code).to.equal('validation_failed')
    const action = await post('/actions', '{"a":', json)
    expect(action.status).to.equal(400)
    expect((await action.json()) as ActionErrorBody).to.include({ error: 'Schema validation failed' })
    expect((await post('/venue-tx-hashes', 'a=1', { 'content-type': 'text/plain' })).status).to.equal(415)
    const broken = await post('/venue-tx-hashes', 'not gzip', { ...json, 'content-encoding': 'gzip' })
    expect(broken.status).to.equal(400)
    expect((await post('/venue-tx-hashes', '{}', { ...json, 'content-encoding': 'rot13' })).status).to.equal(415)
    const bomb = gzipSync(JSON.stringify({ junk: 'x'.repeat(10_000_000) }))
    const packed = await post('/venue-tx-hashes', new Uint8Array(bomb), { ...json, 'content-encoding': 'gzip' })
    expect(packed.status).to.equal(413)
    const large = await api.post('/actions', { junk: 'x'.repeat(300_000) })
    expect(large.status).to.equal(413)
    expect(large.body.error.code).to.equal('payload_too_large')
  })

  it('answers a path with a malformed percent escape by 400', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const url = new URL(service.url)
      const request = rawRequest({ host: url.hostname, port: url.port, path: '/actions/%E0%A4%A' }, (response) => {
        response.resume()
        resolve(response.statusCode!)
      })
      request.on('error', reject)
      request.end()
    })
    expect(status).to.equal(400)
  })

  it('takes a good request id, makes one otherwise, and puts it into error bodies', async () => {
    const mine = await api.get('/nowhere', { 'x-request-id': 'a.good-id_1' })
    expect(mine.headers.get('x-request-id')).to.equal('a.good-id_1')
    expect(mine.body.requestId).to.equal('a.good-id_1')
    const other = await api.get('/chains', { 'x-request-id': 'bad id!' })
    expect(other.headers.get('x-request-id')).to.match(/^[A-Za-z0-9._-]{1,128}$/)
    const refused = await api.post('/actions', {})
    expect(refused.body.requestId).to.equal(refused.headers.get('x-request-id'))
  })

  it('lets browsers of every origin call and read the headers', async () => {
    const preflight = await fetch(`${service.url}/actions`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.org',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,idempotency-key,prefer',
      },
    })
    expect(preflight.status).to.be.oneOf([200, 204])
    expect(preflight.headers.get('access-control-allow-origin')).to.equal('*')
    expect(preflight.headers.get('access-control-allow-headers')).to.contain('idempotency-key')
    const refused = await api.post('/actions', {}, { origin: 'https://app.example.org' })
    expect(refused.headers.get('access-control-allow-origin')).to.equal('*')
    expect(refused.headers.get('access-control-expose-headers')!.toLowerCase()).to.contain('x-request-id')
  })

  it('answers HEAD like GET, without a body', async () => {
    const head = await fetch(`${service.url}/chains`, { method: 'HEAD' })
    expect(head.status).to.equal(200)
    expect(await head.text()).to.equal('')
  })

  it('answers 304 to a client that has the newest state', async () => {
    const { address } = record()
    const call = { to: address, value: '0', data: '0x' }
    const transfer = { from: address, to: service.chains[0].vault, token: '0x0', amount: '1' }
    const batch = { chainId: 31337, tokenTransfers: [transfer], call }
    const created = await api.post('/actions', {
      user: address,
      intents: [{ mode: 'non-7702:on-demand', chainBatches: [batch] }],
    })
    for (const path of ['', '/intents/0', '/intents/0/steps/0']) {
      const url = `/actions/${created.body.actionId}${path}`
      const first = await api.get(url)
      const again = await api.get(url, { 'if-none-match': first.headers.get('etag')! })
      expect(again.status, path).to.equal(304)
      expect(again.body).to.equal('')
      expect((await api.get(url, { 'if-none-match': '"other"' })).status).to.equal(200)
    }
  })

  it('serves the spec and a reference that loads nothing from elsewhere', async () => {
    const spec = await api.get('/openapi.json')
    expect(spec.body.openapi).to.match(/^3\.1/)
    const yaml = await fetch(`${service.url}/openapi.yaml`)
    expect(await yaml.text()).to.contain('openapi: 3.1')
    const docs = await fetch(`${service.url}/docs`)
    const html = await docs.text()
    expect(docs.headers.get('content-security-policy')).to.contain("default-src 'none'")
    const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!)
    expect(addresses).to.not.deep.equal([])
    for (const address of addresses) {
      expect(address).to.not.match(/^(https?:)?\/\//)
      expect((await fetch(new URL(address, `${service.url}/docs`))).status, address).to.equal(200)
    }
  })

  describe('venue records', () => {
    it('want all five fields, in the words of the interface', async () => {
      for (const field of ['address', 'txHash', 'actionType', 'venue', 'chainId']) {
        const reply = await api.post('/venue-tx-hashes', { ...record(), [field]: undefined })
        expect(reply.status).to.equal(400)
        expect(reply.body.success).to.equal(false)
        expect(reply.body.error.message).to.equal('Missing txHash, address, actionType, venue or chainId')
      }
      const malformed = await api.post('/venue-tx-hashes', { ...record(), txHash: '0x12' })
      expect(malformed.status).to.equal(400)
      expect(JSON.stringify(malformed.body.error)).to.contain('txHash')
    })

    it('come back newest first, one by default, and success tells whether all that were asked for came', async () => {
      const base = record()
      const hashOf = (n: number) => `0x${n.toString(16).padStart(64, '0')}`
      for (let n = 1; n <= 3; n++) {
        const entry = {
          ...base,
          txHash: hashOf(n),
          actionType: n === 2 ? 'swap' : 'deposit',
          venue: n === 3 ? 'b' : 'a',
        }
        expect((await api.post('/venue-tx-hashes', entry)).body).to.deep.include({ success: true })
        expect((await api.post('/venue-tx-hashes', entry)).status).to.equal(200)
      }
      const query = async (rest: string) => (await api.get(`/venue-tx-hashes?address=${base.address}${rest}`)).body
      const hashes = (body: VenueTxHashesFound) => body.data.txHashes.map((entry) => Number(entry.txHash))
      const one = await query('')
      expect([one.success, hashes(one)]).to.deep.equal([true, [3]])
      const all = await query('&count=3')
      expect([all.success, hashes(all)]).to.deep.equal([true, [3, 2, 1]])
      const tooMany = await query('&count=4')
      expect([tooMany.success, hashes(tooMany)]).to.deep.equal([false, [3, 2, 1]])
      expect(hashes(await query('&count=3&actionTypes=swap'))).to.deep.equal([2])
      expect(hashes(await query('&count=3&actionTypes=swap&actionTypes=deposit'))).to.deep.equal([3, 2, 1])
      expect(hashes(await query('&count=3&actionTypes=swap,deposit&venue=a'))).to.deep.equal([2, 1])
      const lower = await api.get(`/venue-tx-hashes?address=${base.address.toLowerCase()}`)
      expect(lower.body.data.txHashes[0].address).to.equal(base.address)
      for (const count of ['0', '1001', 'x'])
        expect((await api.get(`/venue-tx-hashes?address=${base.address}&count=${count}`)).status).to.equal(400)
      expect((await api.get('/venue-tx-hashes')).status).to.equal(400)
    })

    it('take no label that a database would read as another one, in bodies and in queries alike', async () => {
      const message = (name: string) =>
        `${name} must be a string without control characters, unpaired surrogates and spaces at its ends`
      for (const label of ['deposit ', ' deposit', ' ', 'a\u0000b', 'a\n', '\ta', 'a\u007f']) {
        for (const field of ['actionType', 'venue']) {
          const stored = await api.post('/venue-tx-hashes', { ...record(), [field]: label })
          expect(stored.status, JSON.stringify(label)).to.equal(400)
          expect(stored.body.error.issues).to.deep.equal([
            { path: `/${field}`, message: message(field), code: 'pattern' },
          ])
          const verified = await api.get(
            `/venue-tx-hashes/verify/${record().txHash}?${field}=${encodeURIComponent(label)}`,
          )
          expect([verified.status, verified.body.error.message]).to.deep.equal([400, message(field)])
        }
        const query = `address=${record().address}&actionTypes=deposit&actionTypes=${encodeURIComponent(label)}`
        const found = await api.get(`/venue-tx-hashes?${query}`)
        expect([found.status, found.body.error.message]).to.deep.equal([400, message('actionTypes[1]')])
      }
      const halved = await api.post('/venue-tx-hashes', { ...record(), venue: 'a\ud83e' })
      expect(halved.body.error.issues).to.deep.equal([{ path: '/venue', message: message('venue'), code: 'format' }])
      const empty = await api.get(`/venue-tx-hashes?address=${record().address}&venue=`)
      expect(empty.body.error.message).to.equal('venue must have at least 1 character')
    })

    it('keep a label as it is, with spaces inside and in any script', async () => {
      for (const venue of ['a b', 'x', 'Börse', '取引所', '🪙', 'a\u00a0']) {
        const entry = { ...record(), txHash: keccak256(stringToHex(venue)), venue }
        expect((await api.post('/venue-tx-hashes', entry)).status).to.equal(200)
        const verified = await api.get(`/venue-tx-hashes/verify/${entry.txHash}?venue=${encodeURIComponent(venue)}`)
        expect(verified.body.data).to.deep.equal(entry)
      }
    })

    it('are verified by hash, action type and venue', async () => {
      const entry = { ...record(), txHash: `0x${'cd'.repeat(32)}` }
      await api.post('/venue-tx-hashes', entry)
      const verify = (rest = '') => api.get(`/venue-tx-hashes/verify/${entry.txHash}${rest}`)
      const found = await verify()
      expect(found.body).to.deep.equal({ success: true, data: entry, error: null })
      expect((await verify('?actionType=deposit&venue=a-venue')).status).to.equal(200)
      const type = await verify('?actionType=swap')
      expect([type.status, type.body.error.message.includes('actionType')]).to.deep.equal([404, true])
      const venue = await verify('?venue=other')
      expect([venue.status, venue.body.error.message.includes('venue')]).to.deep.equal([404, true])
      const missing = await api.get(`/venue-tx-hashes/verify/0x${'ef'.repeat(32)}`)
      expect(missing.status).to.equal(404)
      expect(missing.body.success).to.equal(false)
      expect(missing.body.error.message).to.equal('Transaction hash not found')
    })
  })
})
