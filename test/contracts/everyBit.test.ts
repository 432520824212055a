import { expect } from 'chai'
import { concat, type Hex, numberToHex, size, slice, toHex } from 'viem'
import { batch, chainId, newRecipient, startTestChain, stranger, type TestChain, tokenCall } from './chain.js'
import { type ContractIntent, executeData, type SignatureType, signIntent } from './intents.js'

describe('a signed intent', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  /** Two batches of this chain, one with two calls and token transfers, and one of another chain. */
  async function signed(signatureType: SignatureType) {
    const account = await chain.newDelegated()
    const pay = (amount: bigint) => tokenCall(chain.usd, newRecipient(), amount)
    const transfer = { from: account.address, to: newRecipient(), token: chain.usd, amount: 3n }
    const batches = [
      { ...batch(pay(1n), pay(2n)), tokenTransfers: [transfer, transfer] },
      { ...batch(pay(9n)), chainId: 5n },
      batch(pay(3n)),
    ]
    const { intent } = await signIntent(account, batches, { signatureType, nbf: 1n, carried: [0, 2] })
    expect(await chain.revertOf(stranger.address, account.address, executeData(intent))).to.equal(null)
    return { account, intent }
  }

  for (const signatureType of ['ecdsa', 'eip712'] as const) {
    it(`is refused with any bit flipped (${signatureType})`, async () => {
      const { account, intent } = await signed(signatureType)
      const changed = [...variants(intent)]
      const calls = changed.map(({ intent }) => executeData(intent))
      const reverts = await chain.revertsOf(stranger.address, account.address, calls)
      expect(changed.length).to.be.greaterThan(4_000)
      reverts.forEach((revert, index) => {
        const { what } = changed[index]!
        // Bits of the window change what is signed and also when it holds.
        const inTime = /^(nbf|exp) /.test(what) ? ['IntentTooEarly', 'IntentExpired'] : []
        expect(['InvalidSignature', ...inTime], what).to.include(revert?.name)
      })
    }).timeout(60_000)

    it(`is refused with anything added, left out or moved (${signatureType})`, async () => {
      const { account, intent } = await signed(signatureType)
      const [first, second, third] = intent.chainBatches as [Batch, Batch, Batch]
      const firstCalls = (...calls: Batch['calls']) => [{ ...first, calls }, second, third]
      const [one, two] = first.calls as [Call, Call]
      const stripped = { ...first, calls: [] }
      const unknown = { hash: toHex(7n, { size: 32 }), chainId, calls: [] }
      const changes: Record<string, Partial<ContractIntent>> = {
        'a call less': { chainBatches: firstCalls(one) },
        'a call more': { chainBatches: firstCalls(one, two, two) },
        'calls in another order': { chainBatches: firstCalls(two, one) },
        'a call of another batch': { chainBatches: [first, second, { ...third, calls: [one] }] },
        'data cut short': { chainBatches: firstCalls({ ...one, data: slice(one.data, 0, 67) }, two) },
        'data made longer': { chainBatches: firstCalls({ ...one, data: concat([one.data, '0x00']) }, two) },
        'a batch less': { chainBatches: [first, second] },
        'a batch more': { chainBatches: [...intent.chainBatches, unknown] },
        'batches in another order': { chainBatches: [third, second, first] },
        'a batch twice': { chainBatches: [first, second, third, third] },
        'no batch': { chainBatches: [] },
        'a byte behind the signature': { signature: concat([intent.signature, '0x00']) },
        'a word behind the signature': { signature: concat([intent.signature, toHex(0n, { size: 32 })]) },
        'a signature cut short': { signature: slice(intent.signature, 0, size(intent.signature) - 1) },
        'no signature': { signature: '0x' },
      }
      if (signatureType === 'eip712')
        changes['calls left out, their word left in'] = { chainBatches: [stripped, second, third] }
      for (const [what, change] of Object.entries(changes)) {
        const data = executeData({ ...intent, ...change })
        expect((await chain.revertOf(stranger.address, account.address, data))?.name, what).to.equal('InvalidSignature')
      }
    })
  }
})

type Batch = ContractIntent['chainBatches'][number]
type Call = Batch['calls'][number]

/** The intent with each single bit of it flipped. */
function* variants(intent: ContractIntent): Generator<{ what: string; intent: ContractIntent }> {
  for (const [bit, signature] of flips(intent.signature))
    yield { what: `signature ${bit}`, intent: { ...intent, signature } }
  for (const field of ['nbf', 'exp'] as const) {
    for (const [bit, value] of flipsOf(intent[field]))
      yield { what: `${field} ${bit}`, intent: { ...intent, [field]: value } }
  }
  for (const [index, chainBatch] of intent.chainBatches.entries()) {
    const withBatch = (what: string, changed: Batch) => ({
      what: `batch ${index} ${what}`,
      intent: { ...intent, chainBatches: intent.chainBatches.with(index, changed) },
    })
    for (const [bit, hash] of flips(chainBatch.hash)) yield withBatch(`hash ${bit}`, { ...chainBatch, hash })
    // The chain of a batch without calls is not read: its hash stands for it.
    if (chainBatch.calls.length > 0) {
      for (const [bit, value] of flipsOf(chainBatch.chainId)) {
        yield withBatch(`chainId ${bit}`, { ...chainBatch, chainId: value })
      }
    }
    for (const [at, call] of chainBatch.calls.entries()) {
      const withCall = (what: string, changed: Call) =>
        withBatch(`call ${at} ${what}`, { ...chainBatch, calls: chainBatch.calls.with(at, changed) })
      for (const [bit, to] of flips(call.to)) yield withCall(`to ${bit}`, { ...call, to })
      for (const [bit, value] of flipsOf(call.value)) yield withCall(`value ${bit}`, { ...call, value })
      for (const [bit, data] of flips(call.data)) yield withCall(`data ${bit}`, { ...call, data })
    }
  }
}

function* flips(hex: Hex): Generator<[bit: number, flipped: Hex]> {
  const length = size(hex)
  for (let bit = 0; bit < 8 * length; bit += 1) {
    yield [bit, numberToHex(BigInt(hex) ^ (1n << BigInt(bit)), { size: length })]
  }
}

function* flipsOf(value: bigint): Generator<[bit: number, flipped: bigint]> {
  for (let bit = 0; bit < 256; bit += 1) yield [bit, value ^ (1n << BigInt(bit))]
}
