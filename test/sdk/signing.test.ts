import { expect } from 'chai'
import {
  type Address,
  concat,
  encodePacked,
  type Hex,
  hashTypedData,
  keccak256,
  numberToHex,
  pad,
  recoverAddress,
  size,
  slice,
  stringToHex,
  toRlp,
  verifyMessage,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { signAuthorization, signIntent, signRegistration } from '../../sdk/src/sign.js'
import {
  authorizationDigest,
  batchHash,
  chainBatchHash,
  chainBatchId,
  type ChainBatch,
  chainBatchStructHash,
  ecdsaIntentDigest,
  eip712IntentDigest,
  intentDigest,
  recoverAuthorizationSigner,
  recoverIntentSigner,
  registrationTypedData,
  tokenTransfersHash,
  verifyRegistration,
} from '../../sdk/src/signing.js'

/** anvil's account 5; its key is public. */
const account = privateKeyToAccount('0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba')
const vault: Address = '0x00000000000000000000000000000000000000aa'
const token: Address = '0x00000000000000000000000000000000000000bb'
const friend: Address = '0x00000000000000000000000000000000000000cc'
const zero: Address = '0x0000000000000000000000000000000000000000'

/** Two batches: odd data lengths, two calls, no calls, transfers from the user and from the solver. */
const batches = [
  {
    chainId: 31337,
    tokenTransfers: [{ from: account.address, to: vault, token, amount: 25_000_000n }],
    calls: [
      { to: token, value: 0n, data: '0xa9059cbb0102030405' },
      { to: vault, value: 7n, data: '0x' },
    ],
  },
  {
    chainId: 31338,
    tokenTransfers: [
      { from: 'solver', to: friend, token, amount: 2n ** 256n - 1n },
      { from: 'solver', to: account.address, token: zero, amount: 1n },
    ],
    calls: [],
  },
] as const satisfies ChainBatch[]
const window = { nbf: 1_700_000_000, exp: 1_900_000_000 }

/** By hand, from the ABI and EIP-712 specifications: words, and keccak256. */
const word = (value: bigint | number | Hex) =>
  typeof value === 'string' ? pad(value, { size: 32 }) : numberToHex(value, { size: 32 })
const words = (...values: (bigint | number | Hex)[]) => concat(values.map(word))
const bytesTail = (data: Hex) => {
  const padded = Math.ceil(size(data) / 32) * 32
  return concat([word(size(data)), padded > 0 ? pad(data, { dir: 'right', size: padded }) : '0x'])
}

function abiOfBatch(chainId: number, calls: readonly { to: Address; value: bigint; data: Hex }[]): Hex {
  const tuples = calls.map((call) => concat([words(call.to, call.value, 0x60), bytesTail(call.data)]))
  const offsets: Hex[] = []
  let offset = calls.length * 32
  for (const tuple of tuples) {
    offsets.push(word(offset))
    offset += size(tuple)
  }
  return concat([words(chainId, 0x40, calls.length), ...offsets, ...tuples])
}

function abiOfDigest(signatureType: string, nbf: number, exp: number, hashes: readonly Hex[]): Hex {
  const head = words(0x80, nbf, exp, 0xc0)
  const text = concat([word(signatureType.length), pad(stringToHex(signatureType), { dir: 'right', size: 32 })])
  return concat([head, text, word(hashes.length), ...hashes])
}

const typeHash = (type: string) => keccak256(stringToHex(type))
const callType = 'Call(address to,uint256 value,bytes data)'
const transferType = 'TokenTransfer(address from,address to,address token,uint256 amount)'
const batchType = `ChainBatch(uint256 chainId,TokenTransfer[] tokenTransfers,Call[] calls)`

function transfersByHand(transfers: (typeof batches)[number]['tokenTransfers']): Hex {
  return keccak256(
    concat(
      transfers.map(({ from, to, token: ofToken, amount }) =>
        keccak256(words(typeHash(transferType), from === 'solver' ? zero : from, to, ofToken, amount)),
      ),
    ),
  )
}

function structByHand(batch: (typeof batches)[number]): Hex {
  const calls = batch.calls.map(({ to, value, data }) =>
    keccak256(words(typeHash(callType), to, value, keccak256(data))),
  )
  return keccak256(
    words(
      typeHash(batchType + callType + transferType),
      batch.chainId,
      transfersByHand(batch.tokenTransfers),
      keccak256(concat(['0x', ...calls])),
    ),
  )
}

const domainByHand = keccak256(
  words(
    typeHash('EIP712Domain(string name,string version)'),
    keccak256(stringToHex('CrossChainIntents')),
    keccak256(stringToHex('1')),
  ),
)

function eip712ByHand(): Hex {
  // The types that the primary type refers to follow it in alphabetical order.
  const intentType = `Intent(uint256 nbf,uint256 exp,ChainBatch[] chainBatches)${callType}${batchType}${transferType}`
  const struct = keccak256(
    words(typeHash(intentType), window.nbf, window.exp, keccak256(concat(batches.map((batch) => structByHand(batch))))),
  )
  return keccak256(concat(['0x1901', domainByHand, struct]))
}

describe('hashes of what is signed', () => {
  it('hash an ecdsa batch as the ABI encoding built by hand does', () => {
    for (const batch of batches) {
      expect(chainBatchHash(batch)).to.equal(keccak256(abiOfBatch(batch.chainId, batch.calls)))
    }
  })

  it('hash an ecdsa intent as the ABI encoding built by hand does', () => {
    const hashes = batches.map((batch) => keccak256(abiOfBatch(batch.chainId, batch.calls)))
    const expected = keccak256(abiOfDigest('ecdsa', window.nbf, window.exp, hashes))
    expect(ecdsaIntentDigest({ signatureType: 'ecdsa', ...window, chainBatches: batches })).to.equal(expected)
    expect(intentDigest({ signatureType: 'ecdsa', ...window, chainBatches: batches })).to.equal(expected)
  })

  it('hash an eip712 batch and its transfers as EIP-712 says, with the solver as the zero address', () => {
    for (const batch of batches) {
      expect(chainBatchStructHash(batch)).to.equal(structByHand(batch))
      expect(tokenTransfersHash(batch.tokenTransfers)).to.equal(transfersByHand(batch.tokenTransfers))
    }
    expect(tokenTransfersHash([])).to.equal(keccak256('0x'))
  })

  it('hash an eip712 intent as EIP-712 says', () => {
    expect(eip712IntentDigest({ ...window, chainBatches: batches })).to.equal(eip712ByHand())
    expect(intentDigest({ signatureType: 'eip712', ...window, chainBatches: batches })).to.equal(eip712ByHand())
  })

  it('stay what they are, for software that has been written against them', () => {
    expect({
      ecdsaBatch: chainBatchHash(batches[0]),
      ecdsaIntent: ecdsaIntentDigest({ signatureType: 'ecdsa', ...window, chainBatches: batches }),
      eip712Batch: chainBatchStructHash(batches[0]),
      eip712Transfers: tokenTransfersHash(batches[1].tokenTransfers),
      eip712Intent: eip712IntentDigest({ ...window, chainBatches: batches }),
      batchId: chainBatchId(`0x${'11'.repeat(32)}`, 1),
    }).to.deep.equal({
      ecdsaBatch: '0x38e10a42958eadf1c3ece694b6bafb90bced210a3544ede8f8b53730febeed84',
      ecdsaIntent: '0x9361453523a3e190eccfaec399596e6ff7d6db2544bb7e550ce86c542c8d7600',
      eip712Batch: '0x157ad9fc68b10159fcd8fdf0eba250846df3d7bf10f7ad03b590ee9972a07a25',
      eip712Transfers: '0x8b2a53fe0a485a1d2f5256a1af88e090f7458a0e9db33f501e4853aebf18098f',
      eip712Intent: '0xc2a4eca5e332b38cb7d61b80f4a9051976de46186dc5c2c8a5fe8f04a0a2d68a',
      batchId: '0x7deb3b60ec0f1bf56dbdd0ffedbadafddeaa08947884ff0f215ce93ee1826102',
    })
  })

  it('name a batch by the digest and its position', () => {
    const digest = `0x${'11'.repeat(32)}` as const
    expect(chainBatchId(digest, 3)).to.equal(keccak256(words(digest, 3)))
    expect(chainBatchId(digest, 3)).to.equal(keccak256(encodePacked(['bytes32', 'uint256'], [digest, 3n])))
  })

  it('take addresses in any letter case', () => {
    const shout = (address: Address) => `0x${address.slice(2).toUpperCase()}` as Address
    const loud: ChainBatch = {
      chainId: batches[0].chainId,
      tokenTransfers: batches[0].tokenTransfers.map((t) => ({ ...t, from: shout(t.from), to: shout(t.to) })),
      calls: batches[0].calls.map((call) => ({ ...call, to: shout(call.to) })),
    }
    for (const type of ['ecdsa', 'eip712'] as const) expect(batchHash(type, loud)).to.equal(batchHash(type, batches[0]))
  })

  it('hash an authorization as EIP-7702 says', () => {
    const expected = keccak256(concat(['0x05', toRlp([numberToHex(31337), token, numberToHex(7)])]))
    expect(authorizationDigest({ chainId: 31337, address: token, nonce: 7 })).to.equal(expected)
    const zeroNonce = keccak256(concat(['0x05', toRlp([numberToHex(31337), token, '0x'])]))
    expect(authorizationDigest({ chainId: 31337, address: token, nonce: 0 })).to.equal(zeroNonce)
  })

  it('hash a registration as EIP-712 says', () => {
    const hash = `0x${'22'.repeat(32)}` as const
    const actionId = '0193a1c0-7b1e-7f3a-8c52-1d2e3f405162'
    const struct = keccak256(
      words(
        typeHash('Registration(string actionId,uint256 intentIndex,uint256 stepIndex,bytes32 hash)'),
        keccak256(stringToHex(actionId)),
        2,
        3,
        hash,
      ),
    )
    const typedData = registrationTypedData({ actionId, intentIndex: 2, stepIndex: 3, hash })
    expect(hashTypedData(typedData)).to.equal(keccak256(concat(['0x1901', domainByHand, struct])))
  })
})

describe('signatures of intents', () => {
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
    expect(signed.nbf).to.equal(0)
    expect(signed.exp - before).to.be.within(3600, 3605)
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
