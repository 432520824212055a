import { expect } from 'chai'
import { type Address, concat, encodePacked, hashTypedData, keccak256, numberToHex, stringToHex, toRlp } from 'viem'
import { useKeccak256 } from '../../sdk/src/keccak256.js'
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
  registrationTypedData,
  tokenTransfersHash,
} from '../../sdk/src/signing.js'
import {
  abiOfBatch,
  abiOfDigest,
  batches,
  domainByHand,
  eip712ByHand,
  structByHand,
  token,
  transfersByHand,
  typeHash,
  window,
  words,
} from './encodingsByHand.js'

describe('hashes of what is signed', () => {
  // As the SDK comes; a service that was started in this process hashes otherwise.
  before(() => useKeccak256(keccak256))

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
    // As software without types has them.
    expect(authorizationDigest({ chainId: 31337n as never, address: token, nonce: 0n as never })).to.equal(zeroNonce)
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
