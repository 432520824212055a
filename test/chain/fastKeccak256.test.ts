import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Hex, keccak256 as keccak256ByViem, toHex } from 'viem'
import { keccak256, useKeccak256 } from '../../sdk/src/keccak256.js'
import { hashByWebAssembly } from '../../server/chain/keys/fastKeccak256.js'

describe('keccak256 by WebAssembly', () => {
  afterEach(() => useKeccak256(keccak256ByViem))

  it('agrees with viem on bytes and hex of any length', async () => {
    expect(await hashByWebAssembly()).to.equal('hash-wasm')
    const lengths = [...Array.from({ length: 600 }, (_, length) => length), 16_383, 16_384, 16_385, 70_000]
    for (const length of lengths) {
      const bytes = randomBytes(length)
      const hex = toHex(bytes)
      const expected = keccak256ByViem(bytes)
      expect(keccak256(bytes), `${length} bytes`).to.equal(expected)
      expect(keccak256(hex), `${length} bytes as hex`).to.equal(expected)
      expect(keccak256(hex.toUpperCase().replace('0X', '0x') as Hex), `${length} bytes in capitals`).to.equal(expected)
    }
  })

  it('pads odd hex as viem does and refuses what is none', async () => {
    await hashByWebAssembly()
    expect(keccak256('0x1')).to.equal(keccak256ByViem('0x1'))
    for (const hex of ['0xzz', '0x12zz', '0xİı', 'abcd', '0X12', ''] as Hex[]) {
      expect(() => keccak256(hex), hex).to.throw()
    }
  })

  it('is left alone where it does not run or gives another answer', async () => {
    const missing = () => Promise.reject(new Error('no WebAssembly here'))
    const wrong = () => Promise.resolve((): Hex => `0x${'00'.repeat(32)}`)
    for (const create of [missing, wrong]) {
      expect(await hashByWebAssembly(create)).to.equal('viem')
      expect(keccak256('0x1234')).to.equal(keccak256ByViem('0x1234'))
    }
  })
})
