import { expect } from 'chai'
import fc from 'fast-check'
import { serializeTransaction, toHex } from 'viem'
import { encodeTransaction } from '../../server/chain/encodeTransaction.js'
import { toSerializable } from '../support/serializable.js'

const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => toHex(value))
const bigint = (most: bigint) =>
  fc.oneof(fc.constantFrom(0n, 1n, 127n, 128n, 255n, 256n), fc.bigInt({ min: 0n, max: most }))
const integer = fc.oneof(fc.constantFrom(0, 1, 127, 128, 255, 256), fc.maxSafeNat())
/** Some have leading zeros, of which RLP's numbers have none. */
const word = fc.oneof(
  hex(32),
  bigint(2n ** 248n).map((value) => toHex(value + 1n, { size: 32 })),
)
const signature = fc.record({ r: word, s: word, yParity: fc.constantFrom(0, 1) })

const transaction = fc.record({
  chainId: fc.oneof(fc.constantFrom(1, 127, 128, 31_337), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
  nonce: integer,
  to: hex(20),
  data: fc.oneof(
    fc.constantFrom('0x' as const, '0x00' as const, '0x7f' as const, '0x80' as const),
    fc.uint8Array({ maxLength: 400 }).map((value) => toHex(value)),
  ),
  value: bigint(2n ** 256n - 1n),
  gas: bigint(2n ** 63n),
  maxFeePerGas: fc.constant(2n ** 255n),
  maxPriorityFeePerGas: bigint(2n ** 254n),
  authorizations: fc.array(
    fc.record({ address: hex(20), chainId: integer, nonce: integer, r: word, s: word, yParity: fc.constantFrom(0, 1) }),
    { maxLength: 5 },
  ),
})

describe('the bytes of a transaction', () => {
  it('are what viem gives, whatever is in it, unsigned and signed', () => {
    fc.assert(
      fc.property(transaction, signature, (unsigned, signedBy) => {
        const serializable = toSerializable(unsigned)
        expect(encodeTransaction(unsigned)).to.equal(serializeTransaction(serializable))
        expect(encodeTransaction(unsigned, signedBy)).to.equal(serializeTransaction(serializable, signedBy))
      }),
      { numRuns: 500 },
    )
  })
})
