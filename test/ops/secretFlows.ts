import { expect } from 'chai'
import { type Hex, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { registrationTypedData, type SignatureType } from '../../sdk/src/signing.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Api } from '../support/api.js'
import {
  authorization,
  fund,
  onDemandIntent,
  sendFrom,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

/**
 * What a client may do, with everything in it that must not come back out: each tells `keep` of its secrets. `api`
 * records its answers; `plain` is for what no log and no answer tells of.
 */
export function createSecretFlows(
  api: Api,
  plain: Api,
  [a, b]: readonly ChainConfig[],
  keep: (text: string, what: string) => void,
) {
  if (!a || !b) throw new Error('Two chains are needed')
  const usdA = tokenOf(a, 'usd').address
  const usdB = tokenOf(b, 'usd').address
  const ten = 10_000_000n

  async function aUser(native = false) {
    const key = generatePrivateKey()
    keep(key.slice(2), 'the key of a user')
    const user = privateKeyToAccount(key)
    await fund(a!, user.address, { usd: ten, ...(native && { native: parseUnits('1', 18) }) })
    return user
  }
  /** Both halves, since either may be told without the other. */
  const keepSignature = (signature: string) => {
    keep(signature.slice(2, 66), 'the r of a signature')
    keep(signature.slice(66, 130), 's of a signature')
  }
  async function intentOf(...args: Parameters<typeof signedIntent>) {
    const intent = await signedIntent(...args)
    keepSignature(intent.signature)
    return intent
  }
  const payVault = { to: usdA, value: 0n, data: transferData(a.vault, ten) }

  async function pays(user: Awaited<ReturnType<typeof aUser>>, hash: Hex, more: object = {}) {
    const report = { user: user.address, sender: user.address, txHash: hash, tokenAddress: usdA, chainId: a!.chainId }
    return api.post('/coredeposit', { ...report, amount: ten.toString(), ...more })
  }

  return {
    /** A payment by the user's own signed calls, with his authorization and an idempotency key. */
    async signed(signatureType: SignatureType) {
      const user = await aUser()
      const tuple = await authorization(user, a)
      keep(tuple.r.slice(2), 'the r of an authorization')
      keep(tuple.s.slice(2), 's of an authorization')
      const batch = { chainId: a.chainId, tokenTransfers: [], calls: [payVault] }
      const body = {
        user: user.address,
        chainAuthorizations: [tuple],
        intents: [await intentOf(user, [batch], { signatureType })],
      }
      const created = await api.post('/actions', body, { 'idempotency-key': `key-${user.address}` })
      expect(created.status, JSON.stringify(created.body)).to.equal(201)
      const { actionId } = created.body
      expect((await api.execute(actionId, 0, 0)).body.status).to.equal('success')
      for (const path of ['', '/intents/0', '/intents/0/steps/0']) await api.get(`/actions/${actionId}${path}`)
      await api.get(`/actions?user=${user.address}`)
      await api.get(`/actions/${actionId}/events`)
    },

    /** A payment registered with a signature, a payout that fails for want of credit, and the way out. */
    async onDemandAndRefund() {
      const user = await aUser(true)
      const hash = await sendFrom(a, user, payVault)
      const gets = { from: 'solver', to: user.address, token: usdB, amount: parseUnits('4', 18) }
      const created = await api.post('/actions', {
        user: user.address,
        intents: [
          onDemandIntent([
            { chainId: a.chainId, tokenTransfers: [{ from: user.address, to: a.vault, token: usdA, amount: ten }] },
            { chainId: b.chainId, tokenTransfers: [gets] },
            { chainId: b.chainId, tokenTransfers: [{ ...gets, amount: parseUnits('400', 18) }] },
          ]),
        ],
      })
      const { actionId } = created.body
      const ref = { actionId, intentIndex: 0, stepIndex: 0 }
      const signature = await user.signTypedData(registrationTypedData({ ...ref, hash }))
      keepSignature(signature)
      expect((await api.execute(actionId, 0, 0, { action: 'register', hash, signature })).body.status).to.equal(
        'success',
      )
      expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')
      const unfunded = await api.execute(actionId, 0, 2)
      // Refused at once, or by the engine, which goes on to it by itself.
      expect(JSON.stringify(unfunded.body)).to.contain('insufficient_credit')

      const back = { from: 'solver' as const, to: user.address, token: usdA, amount: 6_000_000n }
      const refund = await api.post('/actions', {
        user: user.address,
        chainAuthorizations: [],
        intents: [await intentOf(user, [{ chainId: a.chainId, tokenTransfers: [back], calls: [] }])],
      })
      expect((await api.execute(refund.body.actionId, 0, 0)).body.status).to.equal('success')
    },

    async deposit() {
      const user = await aUser(true)
      const hash = await sendFrom(a, user, payVault)
      expect((await pays(user, hash)).status).to.equal(200)
      expect((await pays(user, hash, { amount: '1' })).status).to.equal(400)
      await api.get(`/coredeposit/${user.address}`)
    },

    async airdrop() {
      const wallet = privateKeyToAccount(generatePrivateKey()).address
      expect((await api.post(`/airdrop/${a.chainId}/usd`, { wallet })).status).to.equal(200)
    },

    /** Its status can be asked for by the signature, which then stands in the path. */
    async legacy() {
      const user = await aUser()
      const batch = { chainId: a.chainId, tokenTransfers: [], calls: [payVault] }
      const intent = await intentOf(user, [batch], { signatureType: 'ecdsa', exp: Number.MAX_SAFE_INTEGER })
      const submitted = await api.post('/transaction/submit', {
        address: user.address,
        authorization: [await authorization(user, a)],
        intentAuthorization: {
          signature: intent.signature,
          chainBatches: intent.chainBatches.map(({ hash, calls, chainId }) => ({ hash, calls, chainId })),
        },
      })
      expect(submitted.status, JSON.stringify(submitted.body)).to.equal(200)
      // Any character of a path may be escaped, and is the same path.
      const escaped = intent.signature.replace(/^0x./, ([, , digit]) => `0x%${digit!.charCodeAt(0).toString(16)}`)
      for (const signature of [intent.signature, escaped]) {
        expect((await api.get(`/intent/${signature}/step/0/status`)).status).to.equal(200)
      }
      await api.get(`/intent/${submitted.body.data.intentId}/step/0/status`)
    },

    /** Refusals, whose messages may say too much. */
    async refused() {
      const [user, thief] = [await aUser(), await aUser()]
      const batch = { chainId: a.chainId, tokenTransfers: [], calls: [payVault] }
      const intent = await intentOf(user, [batch])
      const stolen = { user: thief.address, chainAuthorizations: [], intents: [intent] }
      expect((await api.post('/actions', stolen)).status).to.equal(400)
      const broken = { ...intent, nbf: 'x', signature: `${intent.signature}00`, [intent.signature]: 1 }
      expect((await api.post('/actions', { ...stolen, intents: [broken] })).status).to.equal(400)
      expect((await api.post('/actions', JSON.stringify({ ...stolen }).slice(0, -9))).status).to.equal(400)
      expect((await api.get(`/actions/${intent.signature}`)).status).to.equal(404)
      expect((await api.get(`/nowhere/${intent.signature}?signature=${intent.signature}`)).status).to.equal(404)

      const callSignature = await thief.signMessage({ message: 'as presigned' })
      keepSignature(callSignature)
      const presigned = {
        mode: 'non-7702:presign',
        chainBatches: [
          {
            chainId: a.chainId,
            tokenTransfers: [],
            call: { to: usdA, value: '0', data: transferData(a.vault, 1n) },
            callSignature,
          },
        ],
      }
      await api.post('/actions', { user: thief.address, intents: [presigned] })
    },

    /** What is asked for while no node answers anything but a leak. */
    async whileDown() {
      const user = await aUser()
      const batch = { chainId: a.chainId, tokenTransfers: [], calls: [payVault] }
      const created = await api.post('/actions', {
        user: user.address,
        chainAuthorizations: [await authorization(user, a)],
        intents: [await intentOf(user, [batch])],
      })
      await api.execute(created.body.actionId, 0, 0, undefined, 2)
      await pays(user, `0x${'ab'.repeat(32)}`)
    },

    async intoTheMissingTable() {
      const value = 'venue-of-a-value-that-is-nobodys-business'
      keep(value, 'a value of a statement')
      const record = {
        address: usdA,
        txHash: `0x${'ab'.repeat(32)}`,
        actionType: 'x',
        venue: value,
        chainId: a.chainId,
      }
      expect((await plain.post('/venue-tx-hashes', record)).status).to.equal(500)
    },
  }
}
