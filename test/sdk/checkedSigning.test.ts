import { expect } from 'chai'
import * as checked from '../../sdk/src/checkedSigning.js'
import { IntentError } from '../../sdk/src/errors.js'
import * as entry from '../../sdk/src/index.js'
import { signAuthorization, signIntent, signRegistration } from '../../sdk/src/sign.js'
import * as signing from '../../sdk/src/signing.js'
import { account, batches, friend, window } from './encodingsByHand.js'
import { ref } from './replies.js'

describe('the hashing that others may call', () => {
  const [batch] = batches
  const [call] = batch.calls
  const [transfer] = batch.tokenTransfers
  const hash = `0x${'12'.repeat(32)}` as const

  it('has all that the service has, and gives the same', async () => {
    expect(Object.keys(checked)).to.have.members(Object.keys(signing))
    for (const signatureType of ['ecdsa', 'eip712'] as const) {
      const intent = { signatureType, ...window, chainBatches: batches }
      const digest = checked.intentDigest(intent)
      expect(digest).to.equal(signing.intentDigest(intent))
      const batchHashes = batches.map((part) => checked.batchHash(signatureType, part))
      expect(checked.intentDigestOf({ signatureType, ...window, batchHashes })).to.equal(digest)
      const { signature } = await signIntent({ account, ...intent })
      expect(await checked.recoverIntentSigner({ ...intent, signature })).to.equal(account.address)
      expect(await checked.recoverDigestSigner({ signatureType, digest, signature })).to.equal(account.address)
      expect(await checked.recoverDigestSigner({ signatureType, digest, signature: '0x12' })).to.equal(null)
      expect(checked.chainBatchId(digest, 1)).to.equal(signing.chainBatchId(digest, 1))
    }
    const intent = { signatureType: 'eip712', ...window, chainBatches: batches } as const
    expect(checked.eip712IntentDigest(intent)).to.equal(signing.eip712IntentDigest(intent))
    expect(checked.ecdsaIntentDigest(intent)).to.equal(signing.ecdsaIntentDigest(intent))
    expect(checked.intentTypedData(intent)).to.deep.equal(signing.intentTypedData(intent))
    const { tokenTransfers } = batch
    expect(checked.tokenTransfersHash(tokenTransfers)).to.equal(signing.tokenTransfersHash(tokenTransfers))
    const signed = await signAuthorization({ account, delegate: friend, chainId: 1, nonce: 0 })
    expect(await checked.recoverAuthorizationSigner(signed)).to.equal(account.address)
    const everywhere = { address: friend, chainId: 0, nonce: 0 }
    expect(checked.authorizationDigest(everywhere)).to.equal(signing.authorizationDigest(everywhere))
    const registration = { ...ref, hash }
    const signature = await signRegistration({ account, ...registration })
    expect(await checked.verifyRegistration({ ...registration, signature, user: account.address })).to.equal(true)
    expect(checked.registrationTypedData(registration)).to.deep.equal(signing.registrationTypedData(registration))
  })

  const digests = ['intentDigest', 'ecdsaIntentDigest', 'eip712IntentDigest', 'intentTypedData'] as const
  const hashes = ['chainBatchHash', 'chainBatchStructHash'] as const
  const given: [string, (() => unknown)[]][] = [
    ...['0x1', 'zz', '0xzz', '', undefined].map((data): [string, (() => unknown)[]] => [
      `${data} for calldata`,
      inBatch({ calls: [{ ...call, data }] }),
    ]),
    ...[-1n, 2n ** 256n, 1, undefined].map((value): [string, (() => unknown)[]] => [
      `the ${typeof value} ${value} for a value`,
      inBatch({ calls: [{ ...call, value }] }),
    ]),
    ...[NaN, -1, 0, 1.5, 1e300, '1'].map((chainId): [string, (() => unknown)[]] => [
      `the ${typeof chainId} ${chainId} for a chain`,
      inBatch({ chainId }),
    ]),
    ...[NaN, -1, 1.5, 1e300, '1', 1n, undefined].map((exp): [string, (() => unknown)[]] => [
      `the ${typeof exp} ${exp} for an exp`,
      inIntent({ exp }),
    ]),
    [
      'an unknown kind of signature',
      [() => checked.batchHash('' as never, batch), inIntent({ signatureType: '' })[0]!],
    ],
    ['no kind of signature', [inIntent({ signatureType: undefined })[0]!]],
    ['a debt', [() => checked.tokenTransfersHash([{ ...transfer, amount: -1n }])]],
    ['half a digest', [() => checked.chainBatchId('0x12', 0), () => checked.intentDigestOf(halfHash())]],
    ['no batch', [() => checked.chainBatchId(hash, -1)]],
    ['half a hash', [() => checked.registrationTypedData({ ...ref, hash: '0x12' })]],
    ['a nonce that is none', [() => checked.authorizationDigest({ address: friend, chainId: 1, nonce: -1 })]],
    ['a chain that is none', [() => checked.authorizationDigest({ address: friend, chainId: NaN, nonce: 0 })]],
  ]

  function inIntent(change: object): (() => unknown)[] {
    const intent = { signatureType: 'eip712', ...window, chainBatches: batches, ...change } as never
    return digests.map((name) => () => checked[name](intent))
  }
  function inBatch(change: object): (() => unknown)[] {
    const changed = { ...batch, ...change } as never
    return [...hashes.map((name) => () => checked[name](changed)), ...inIntent({ chainBatches: [changed] })]
  }
  function halfHash() {
    return { signatureType: 'ecdsa', ...window, batchHashes: ['0x12'] } as const
  }

  for (const [what, runs] of given) {
    it(`makes no hash of ${what}, and says why`, () => {
      for (const run of runs) expect(run).to.throw(IntentError, / has to be .*; it is /)
    })
  }

  it('rejects, and does not throw, where it looks for the signer', async () => {
    const intent = { signatureType: 'ecdsa', ...window, nbf: -1, chainBatches: batches, signature: '0x' } as const
    const registration = { ...ref, hash: '0x', signature: '0x', user: friend } as const
    const authorization = { address: friend, chainId: -1, nonce: 0, r: '0x', s: '0x' } as const
    for (const asked of [
      checked.recoverIntentSigner(intent),
      checked.recoverDigestSigner({ ...intent, digest: '0x' }),
      checked.verifyRegistration(registration),
      checked.recoverAuthorizationSigner(authorization),
    ]) {
      expect(await asked.catch((error: unknown) => error)).to.be.instanceOf(IntentError)
    }
  })

  it('is what the main entry has too', () => {
    for (const name of Object.keys(signing).filter((known) => known in entry)) {
      expect(entry[name as keyof typeof entry], name).to.equal(checked[name as keyof typeof checked])
    }
  })
})
