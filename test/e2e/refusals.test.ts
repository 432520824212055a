import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Hex, parseUnits, toHex, zeroAddress } from 'viem'
import type { Issue, SignatureType } from '../../server/api/generated/types.gen.js'
import { useTestService } from '../support/useTestService.js'
import {
  authorization,
  fund,
  newUser,
  onDemandIntent,
  reader,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

/** An action with a signed intent over two chains, typed so that a test may put anything into the places it changes. */
type Body = {
  user: string
  chainAuthorizations: [Authorization, Authorization]
  intents: [
    { mode: string; signatureType: string; signature: string; nbf: number; exp: number; chainBatches: [Batch, Batch] },
  ]
}
type Authorization = { address: string; chainId: number; nonce: number; r: string; s: string; yParity: number }
type Batch = {
  hash: string
  chainId: number
  tokenTransfers: [{ from: string; to: string; token: string; amount: string | number }]
  calls: [{ to?: string; value: string; data: string }]
}

describe('actions that are refused', () => {
  const { service, api } = useTestService()
  const user = newUser()

  async function anAction(signatureType: SignatureType = 'eip712') {
    const [a, b] = service.chains
    const usd = tokenOf(b, 'usd').address
    const batches = [
      {
        chainId: a.chainId,
        tokenTransfers: [],
        calls: [{ to: user.address, value: 1n, data: toHex(randomBytes(16)) }],
      },
      {
        chainId: b.chainId,
        tokenTransfers: [{ from: 'solver' as const, to: user.address, token: usd, amount: 5n }],
        calls: [{ to: usd, value: 0n, data: transferData(user.address, 1n) }],
      },
    ]
    return {
      user: user.address,
      chainAuthorizations: [await authorization(user, a), await authorization(user, b)],
      intents: [await signedIntent(user, batches, { signatureType })],
    }
  }

  /** The same, to be changed. */
  const aBody = async (signatureType?: SignatureType) => structuredClone(await anAction(signatureType)) as Body

  async function refused(change: (body: Body) => void, signatureType?: SignatureType) {
    const body = await aBody(signatureType)
    change(body)
    const reply = await api.post('/actions', body)
    expect(reply.status, JSON.stringify(reply.body)).to.equal(400)
    expect(reply.body).to.have.property('error').that.is.a('string')
    expect(reply.body).not.to.have.property('success')
    return (reply.body.issues ?? []) as Issue[]
  }

  /** The last digit, so that the form stays right. */
  const flip = (hex: string) => hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0')
  const flipAt = (hex: string, at: number) => hex.slice(0, at) + (hex[at] === '0' ? '1' : '0') + hex.slice(at + 1)

  const flips: [string, (body: Body) => void, string, string][] = [
    [
      'a batch hash',
      (b) => (b.intents[0].chainBatches[1].hash = flip(b.intents[0].chainBatches[1].hash)),
      '/intents/0/chainBatches/1/hash',
      'hash_mismatch',
    ],
    [
      'a call’s data',
      (b) => (b.intents[0].chainBatches[0].calls[0].data = '0x1235'),
      '/intents/0/chainBatches/0/hash',
      'hash_mismatch',
    ],
    [
      'a call’s value',
      (b) => (b.intents[0].chainBatches[0].calls[0].value = '2'),
      '/intents/0/chainBatches/0/hash',
      'hash_mismatch',
    ],
    [
      'the chain of a batch',
      (b) => (b.intents[0].chainBatches[0].chainId = 31338),
      '/intents/0/chainBatches/0/hash',
      'hash_mismatch',
    ],
    [
      'the signature',
      (b) => (b.intents[0].signature = flipAt(b.intents[0].signature, 20)),
      '/intents/0/signature',
      'signature_mismatch',
    ],
    ['the not-before time', (b) => (b.intents[0].nbf = 1), '/intents/0/signature', 'signature_mismatch'],
    ['the expiry', (b) => (b.intents[0].exp += 1), '/intents/0/signature', 'signature_mismatch'],
    ['the user', (b) => (b.user = newUser().address), '/intents/0/signature', 'signature_mismatch'],
    [
      'an authorization’s r',
      (b) => (b.chainAuthorizations[1].r = flip(b.chainAuthorizations[1].r)),
      '/chainAuthorizations/1',
      'authorization_mismatch',
    ],
    [
      'an authorization’s nonce',
      (b) => (b.chainAuthorizations[0].nonce += 1),
      '/chainAuthorizations/0',
      'authorization_mismatch',
    ],
    [
      'an authorization’s parity',
      (b) => (b.chainAuthorizations[0].yParity ^= 1),
      '/chainAuthorizations/0',
      'authorization_mismatch',
    ],
    [
      'an authorization for every chain',
      (b) => (b.chainAuthorizations[0].chainId = 0),
      '/chainAuthorizations/0/chainId',
      'authorization_chain_invalid',
    ],
    [
      'an authorization of another contract',
      (b) => (b.chainAuthorizations[0].address = b.user),
      '/chainAuthorizations/0/address',
      'delegate_not_allowed',
    ],
    [
      'an unknown chain',
      (b) => (b.intents[0].chainBatches[0].chainId = 5),
      '/intents/0/chainBatches/0/chainId',
      'chain_unsupported',
    ],
    [
      'a number for an amount',
      (b) => (b.intents[0].chainBatches[1].tokenTransfers[0].amount = 5),
      '/intents/0/chainBatches/1/tokenTransfers/0/amount',
      'type',
    ],
    [
      'an amount beyond uint256',
      (b) => (b.intents[0].chainBatches[1].tokenTransfers[0].amount = String(2n ** 256n)),
      '/intents/0/chainBatches/1/tokenTransfers/0/amount',
      'format',
    ],
    [
      'a missing field',
      (b) => delete b.intents[0].chainBatches[1].calls[0].to,
      '/intents/0/chainBatches/1/calls/0/to',
      'required',
    ],
    ['an unknown signature type', (b) => (b.intents[0].signatureType = 'rsa'), '/intents/0/signatureType', 'enum'],
    ['an unknown mode', (b) => (b.intents[0].mode = '7703'), '/intents/0', 'discriminator'],
    ['no intents', (b) => b.intents.splice(0), '/intents', 'minItems'],
  ]
  for (const [what, change, path, code] of flips) {
    it(`names the place when ${what} is wrong`, async () => {
      const issues = await refused(change)
      expect(
        issues.map((issue) => issue.code),
        JSON.stringify(issues),
      ).to.include(code)
      expect(issues.find((issue) => issue.code === code)!.path).to.contain(path)
    })
  }

  it('covers token transfers by an eip712 signature only', async () => {
    const raise = (body: Body) => (body.intents[0].chainBatches[1].tokenTransfers[0].amount = '6')
    expect((await refused(raise)).map((issue) => issue.code)).to.include('hash_mismatch')
    const body = await aBody('ecdsa')
    raise(body)
    expect((await api.post('/actions', body)).status).to.equal(201)
  })

  it('takes no signature for a payment of the solver’s that could as well be one for a transfer from the zero address', async () => {
    const mint = (body: Body) => (body.intents[0].chainBatches[1].tokenTransfers[0].from = zeroAddress)
    const path = '/intents/0/chainBatches/1/tokenTransfers/0/from'
    const issues = await refused(mint)
    expect(issues.map(({ code, path }) => ({ code, path }))).to.deep.equal([{ code: 'transfer_from_mismatch', path }])
    const unsigned = await aBody('ecdsa')
    mint(unsigned)
    expect((await api.post('/actions', unsigned)).status).to.equal(201)
  })

  it('takes no batch of the user’s that no transaction of his could carry out, which he would pay for in vain', async () => {
    const [{ chainId, vault }] = service.chains
    const transfer = { from: user.address, to: vault, token: zeroAddress, amount: '1000' }
    const batch = { chainId, tokenTransfers: [transfer], call: { to: vault, value: '1', data: '0x' } }
    const intents = [{ mode: 'non-7702:on-demand', chainBatches: [batch] }]
    const { status, body } = await api.post('/actions', { user: user.address, intents })
    expect(status).to.equal(400)
    const [{ code, path, message }] = body.issues as [Issue]
    expect({ code, path }).to.deep.equal({ code: 'contradictory_batch', path: '/intents/0/chainBatches/0/call/value' })
    expect(message).to.contain('1000')
    batch.call.value = '1000'
    expect((await api.post('/actions', { user: user.address, intents })).status).to.equal(201)
  })

  it('pays nobody but the user without a signature over the transfers', async () => {
    const redirect = (body: Body) => (body.intents[0].chainBatches[1].tokenTransfers[0].to = newUser().address)
    const [issue] = await refused(redirect, 'ecdsa')
    expect(issue).to.include({ code: 'recipient_not_allowed', path: '/intents/0/chainBatches/1/tokenTransfers/0/to' })
  })

  it('pays neither the vault nor the zero address, whatever is signed', async () => {
    for (const to of [service.chains[1].vault, zeroAddress]) {
      const redirect = (body: Body) => (body.intents[0].chainBatches[1].tokenTransfers[0].to = to)
      const issues = await refused(redirect)
      const path = '/intents/0/chainBatches/1/tokenTransfers/0/to'
      expect(issues.map(({ code, path }) => ({ code, path }))).to.deep.include({ code: 'recipient_not_allowed', path })
    }
  })

  it('refuses what has expired, and a window that is empty', async () => {
    const past = Math.floor(Date.now() / 1000) - 10
    const [a] = service.chains
    const batch = {
      chainId: a.chainId,
      tokenTransfers: [],
      calls: [{ to: user.address, value: 0n, data: '0x' as Hex }],
    }
    const post = async (window: { nbf?: number; exp?: number }) =>
      api.post('/actions', {
        user: user.address,
        chainAuthorizations: [],
        intents: [await signedIntent(user, [batch], window)],
      })
    expect((await post({ exp: past })).body.issues[0]).to.include({ code: 'expired', path: '/intents/0/exp' })
    const far = past + 10_000
    expect((await post({ nbf: far, exp: far })).body.issues[0]).to.include({
      code: 'window_empty',
      path: '/intents/0/nbf',
    })
  })

  it('wants authorizations for signed intents, in the words of the interface', async () => {
    const { chainAuthorizations: _, ...body } = await anAction()
    const reply = await api.post('/actions', body)
    expect(reply.status).to.equal(400)
    expect(reply.body.error).to.equal('chainAuthorizations are required for 7702 intents')
  })

  it('keeps the vault, operators and delegates from being users', async () => {
    const [a] = service.chains
    for (const address of [a.vault, a.delegates[0]!, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8']) {
      const issues = await refused((body) => (body.user = address))
      expect(issues.map((issue) => issue.code)).to.include('user_not_allowed')
    }
  })

  it('answers the same signed intent with the same identifiers, and another body with duplicate_intent', async () => {
    const body = await anAction()
    const [first, second] = [await api.post('/actions', body), await api.post('/actions', body)]
    expect([first.status, second.status]).to.deep.equal([201, 201])
    expect(second.body).to.deep.equal(first.body)
    const other = await api.post('/actions', { ...body, chainAuthorizations: body.chainAuthorizations.slice(0, 1) })
    expect(other.status).to.equal(400)
    expect(other.body.issues[0]).to.include({ code: 'duplicate_intent', path: '/intents/0' })
  })

  it('replays an idempotency key, and refuses it with another body', async () => {
    const body = await anAction()
    const headers = { 'idempotency-key': `key-${Math.random()}` }
    const first = await api.post('/actions', body, headers)
    const again = await api.post('/actions', body, headers)
    expect(again.body).to.deep.equal(first.body)
    expect(again.headers.get('idempotency-replayed')).to.equal('true')
    const other = await api.post('/actions', await anAction(), headers)
    expect(other.status).to.equal(400)
    expect(other.body.issues[0].code).to.equal('idempotency_key_reused')
  })

  it('takes all modes in one action, and does not execute a presigned one', async () => {
    const [a] = service.chains
    const signed = await anAction()
    const call = { to: user.address, value: '0', data: '0x', signature: '0x1234' }
    const unknown = { from: 'solver', to: user.address, token: newUser().address, amount: '1' }
    const presigned = { chainId: a.chainId, tokenTransfers: [unknown], call }
    const presign = { mode: 'non-7702:presign', chainBatches: [presigned] }
    const pay = { from: user.address, to: a.vault, token: tokenOf(a, 'usd').address, amount: 1n }
    const onDemand = onDemandIntent([{ chainId: a.chainId, tokenTransfers: [pay] }])
    const created = await api.post('/actions', { ...signed, intents: [...signed.intents, onDemand, presign] })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    const { actionId, intentIds } = created.body
    expect(intentIds).to.deep.equal([0, 1, 2].map((index) => `${actionId}/${index}`))
    const refusal = await api.execute(actionId, 2, 0)
    expect(refusal.status).to.equal(400)
    expect(refusal.body.error.code).to.equal('mode_not_implemented')
    expect((await api.execute(actionId, 1, 0)).body.error.code).to.equal('hash_required')
    expect((await api.execute(actionId, 2, 0, { signature: '0x12' })).body.error.code).to.equal('mode_not_implemented')
    const registered = (await api.execute(actionId, 0, 0, { signature: '0x12' })).body.error
    expect([registered.code, registered.message.slice(0, 10)]).to.deep.equal(['hash_not_allowed', 'signature:'])
    expect((await api.execute(actionId, 0, 1)).body.error.code).to.equal('previous_step_incomplete')
    expect((await api.execute(actionId, 3, 0)).status).to.equal(404)
  })

  it('answers 202 for a step under way, and leaves the vault alone when the user’s calls revert', async () => {
    const [a] = service.chains
    const poor = newUser()
    const usd = tokenOf(a, 'usd').address
    const calls = [{ to: usd, value: 0n, data: transferData(a.vault, parseUnits('1', 6)) }]
    const created = await api.post('/actions', {
      user: poor.address,
      chainAuthorizations: [await authorization(poor, a)],
      intents: [await signedIntent(poor, [{ chainId: a.chainId, tokenTransfers: [], calls }])],
    })
    const { actionId } = created.body
    const [first, second] = await Promise.all([
      api.execute(actionId, 0, 0, undefined, 0),
      api.execute(actionId, 0, 0, undefined, 0),
    ])
    expect([first.status, second.status]).to.include(202)
    const failed = await api.execute(actionId, 0, 0)
    expect(failed.body).to.include({ status: 'reverted', transactionHash: null })
    expect(failed.body.error.message).to.contain('ERC20InsufficientBalance')
    expect(failed.body.error.retryable).to.equal(true)
    await fund(a, poor.address, { usd: parseUnits('1', 6) })
    expect((await api.execute(actionId, 0, 0)).body).to.include({ status: 'success' })
    expect(await reader(a).getBalance({ address: poor.address })).to.equal(0n)
  })
})
