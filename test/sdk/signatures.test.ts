import { expect } from 'chai'
import { type Address, concat, type Hex, keccak256, numberToHex, recoverAddress, slice, verifyMessage } from 'viem'
import { useKeccak256 } from '../../sdk/src/keccak256.js'
import { signAuthorization, signIntent, signRegistration } from '../../sdk/src/sign.js'
import {
  batchHash,
  type ChainBatch,
  recoverAuthorizationSigner,
  recoverIntentSigner,
  verifyRegistration,
} from '../../sdk/src/signing.js'
import {
  abiOfBatch,
  abiOfDigest,
  account,
  batches,
  eip712ByHand,
  friend,
  token,
  vault,
  window,
} from './encodingsByHand.js'

describe('signatures of intents', () => {
  // As the SDK comes; a service that was started in this process hashes otherwise.
  before(() => useKeccak256(keccak256))

  for (const signatureType of ['ecdsa', 'eip712'] as const) {
    it(`recover the signer of an ${signatureType} intent, and nobody else once a bit is flipped`, async () => {
      const signed = await signIntent({ account, chainBatches: batches, signatureType, ...window })
      const unsigned = { signatureType, ...window, chainBatches: batches }
      expect(await recoverIntentSigner({ ...unsigned, signature: signed.signature })).to.equal(account.address)
      expect(signed.chainBatches.map((batch) => batch.hash)).to.deep.equal(
        batches.map((batch) => batchHash(signatureType, batch)),
      )
      for (let bit = 0; bit < 64 * 8; bit += 37) {
        const flipped = flip(signed.signature, bit)
        expect(await recoverIntentSigner({ ...unsigned, signature: flipped }), `bit ${bit}`).to.not.equal(
          account.address,
        )
      }
    })

    it(`cover the window, the chains and the calls of an ${signatureType} intent`, async () => {
      const { signature } = await signIntent({ account, chainBatches: batches, signatureType, ...window })
      const [first, second] = batches
      const [call] = first.calls
      const others: ChainBatch[][] = [
        [second, first],
        [first],
        [{ ...first, chainId: first.chainId + 1 }, second],
        [{ ...first, calls: first.calls.slice(1) }, second],
        [{ ...first, calls: [{ ...call, value: 1n }, ...first.calls.slice(1)] }, second],
        [{ ...first, calls: [{ ...call, data: flip(call.data, 3) }, ...first.calls.slice(1)] }, second],
        [{ ...first, calls: [{ ...call, to: friend }, ...first.calls.slice(1)] }, second],
      ]
      for (const [index, chainBatches] of others.entries()) {
        const signer = await recoverIntentSigner({ signatureType, ...window, chainBatches, signature })
        expect(signer, `change ${index}`).to.not.equal(account.address)
      }
      for (const change of [{ nbf: window.nbf + 1 }, { exp: window.exp + 1 }]) {
        const signer = await recoverIntentSigner({
          signatureType,
          ...window,
          ...change,
          chainBatches: batches,
          signature,
        })
        expect(signer).to.not.equal(account.address)
      }
    })
  }

  it('cover the token transfers as eip712, and not as ecdsa', async () => {
    const [first, second] = batches
    const chainBatches = [first, { ...second, tokenTransfers: [{ ...second.tokenTransfers[0], to: vault }] }]
    for (const signatureType of ['ecdsa', 'eip712'] as const) {
      const { signature } = await signIntent({ account, chainBatches: batches, signatureType, ...window })
      const signer = await recoverIntentSigner({ signatureType, ...window, chainBatches, signature })
      if (signatureType === 'ecdsa') expect(signer).to.equal(account.address)
      else expect(signer).to.not.equal(account.address)
    }
  })

  it('are what wallets make: personal_sign of the 32 bytes, or typed data', async () => {
    const ecdsa = await signIntent({ account, chainBatches: batches, signatureType: 'ecdsa', ...window })
    const raw = keccak256(
      abiOfDigest(
        'ecdsa',
        window.nbf,
        window.exp,
        batches.map((b) => keccak256(abiOfBatch(b.chainId, b.calls))),
      ),
    )
    expect(await verifyMessage({ address: account.address, message: { raw }, signature: ecdsa.signature })).to.equal(
      true,
    )
    const eip712 = await signIntent({ account, chainBatches: batches, ...window })
    expect(eip712.signatureType).to.equal('eip712')
    expect(eip712.signature).to.equal(await account.sign({ hash: eip712ByHand() }))
  })

  it('are refused with a high s, another v or another length', async () => {
    const unsigned = { signatureType: 'eip712' as const, ...window, chainBatches: batches }
    const { signature } = await signIntent({ account, ...unsigned })
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const highS = numberToHex(order - BigInt(slice(signature, 32, 64)), { size: 32 })
    const v = Number(slice(signature, 64, 65))
    const mirrored = concat([slice(signature, 0, 32), highS, numberToHex(v === 27 ? 28 : 27)])
    // A valid signature of the same signer, but a second one of the same thing.
    expect(await recoverAddress({ hash: eip712ByHand(), signature: mirrored })).to.equal(account.address)
    const malformed: Hex[] = [
      mirrored,
      concat([slice(signature, 0, 64), numberToHex(v - 27, { size: 1 })]),
      concat([slice(signature, 0, 64), '0x25']),
      slice(signature, 0, 64),
      concat([signature, '0x00']),
      '0x',
      `0x${'00'.repeat(64)}1b`,
    ]
    for (const bad of malformed) expect(await recoverIntentSigner({ ...unsigned, signature: bad }), bad).to.equal(null)
  })

  it('give an intent an hour from now by default, and refuse an empty window', async () => {
    const before = Math.floor(Date.now() / 1000)
    const signed = await signIntent({ account, chainBatches: batches })
    expect(signed.nbf).to.be.within(0, 2 ** 30)
    expect(signed.exp - before).to.be.within(3600, 3605)
    // What says the same is another intent, unless it names the same time.
    const exp = signed.exp
    const [again, fixed, fixedAgain] = await Promise.all(
      [{ exp }, { exp, nbf: 0 }, { exp, nbf: 0 }].map((window) =>
        signIntent({ account, chainBatches: batches, ...window }),
      ),
    )
    expect(again!.signature).not.to.equal(signed.signature)
    expect(fixedAgain).to.deep.equal(fixed)
    expect(fixed!.nbf).to.equal(0)
    // However early it ends, it begins before.
    for (const early of [1, 2, 1_000]) {
      expect((await signIntent({ account, chainBatches: batches, exp: early })).nbf).to.be.below(early)
    }
    const empty = await signIntent({ account, chainBatches: batches, nbf: 5, exp: 5 }).catch((error: unknown) => error)
    expect(empty).to.be.instanceOf(Error)
  })
})

describe('authorizations and registrations', () => {
  it('recover the account that authorized, whatever the padding of r and s', async () => {
    const signed = await signAuthorization({ account, delegate: token, chainId: 31337, nonce: 0 })
    expect(await recoverAuthorizationSigner(signed)).to.equal(account.address)
    let short = signed
    for (let nonce = 1; !short.r.startsWith('0x00'); nonce++) {
      short = await signAuthorization({ account, delegate: token, chainId: 31337, nonce })
    }
    const unpadded = `0x${short.r.slice(2).replace(/^0+/, '')}` as Hex
    expect(await recoverAuthorizationSigner({ ...short, r: unpadded })).to.equal(account.address)
  })

  it('tell another chain, nonce, delegate or parity from what was authorized', async () => {
    const signed = await signAuthorization({ account, delegate: token, chainId: 31337, nonce: 4 })
    const changes = [{ chainId: 31338 }, { nonce: 5 }, { address: vault }, { yParity: 1 - signed.yParity }]
    for (const change of changes) {
      expect(await recoverAuthorizationSigner({ ...signed, ...change })).to.not.equal(account.address)
    }
    expect(await recoverAuthorizationSigner({ ...signed, yParity: 2 })).to.equal(null)
    expect(await recoverAuthorizationSigner({ ...signed, s: `0x${'ff'.repeat(32)}` })).to.equal(null)
    expect(await recoverAuthorizationSigner({ ...signed, r: `0x${'ff'.repeat(33)}` })).to.equal(null)
    const { yParity, ...withoutParity } = signed
    const byDefault = await recoverAuthorizationSigner(withoutParity)
    expect(byDefault === account.address).to.equal(yParity === 0)
  })

  it('are not signed for every chain at once, nor by accounts that cannot', async () => {
    const everyChain = signAuthorization({ account, delegate: token, chainId: 0, nonce: 0 })
    expect(await everyChain.catch((error: Error) => error.message)).to.match(/every chain/)
    const wallet = signAuthorization({ account: {}, delegate: token, chainId: 1, nonce: 0 })
    expect(await wallet.catch((error: Error) => error.message)).to.match(/local account/)
  })

  it('bind a payment to one step', async () => {
    const step = { actionId: '0193a1c0-7b1e-7f3a-8c52-1d2e3f405162', intentIndex: 0, stepIndex: 1 }
    const hash = `0x${'33'.repeat(32)}` as const
    const signature = await signRegistration({ account, ...step, hash })
    const user = account.address.toLowerCase() as Address
    expect(await verifyRegistration({ ...step, hash, signature, user })).to.equal(true)
    expect(await verifyRegistration({ ...step, stepIndex: 2, hash, signature, user })).to.equal(false)
    expect(await verifyRegistration({ ...step, hash: `0x${'34'.repeat(32)}`, signature, user })).to.equal(false)
    expect(await verifyRegistration({ ...step, hash, signature, user: vault })).to.equal(false)
    expect(await verifyRegistration({ ...step, hash, signature: '0x00', user })).to.equal(false)
  })
})

function flip(hex: Hex, bit: number): Hex {
  const bytes = Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
  bytes[bit >> 3]! ^= 1 << (bit & 7)
  return `0x${Buffer.from(bytes).toString('hex')}`
}
