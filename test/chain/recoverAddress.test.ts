import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Hex, numberToHex, recoverAddress, toHex } from 'viem'
import { sign } from 'viem/accounts'
import { chooseRecovery } from '../../server/chain/keys/recoverAddress.js'
import type { RecoverAddress } from '../../sdk/src/signing.js'

type Input = Parameters<RecoverAddress>[0]

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const field = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn

/** Numbers at which implementations part: nothing, the order and its half, the field, and their neighbours. */
const edges = [0n, order, order / 2n, field, field - order, 2n ** 256n - 1n, 2n ** 128n].flatMap((value) =>
  [value - 1n, value, value + 1n].filter((near) => near >= 0n && near < 2n ** 256n),
)

describe('recovery of signers', () => {
  it('agrees with viem on random, malformed and high-s input', async function () {
    const inputs = Number(process.env.RECOVERY_INPUTS ?? 8_000)
    // About 1 ms each in JavaScript.
    this.timeout(60_000 + inputs * 10)
    const { by, recover } = chooseRecovery()
    expect(by, 'this machine has a binary of libsecp256k1').to.equal('libsecp256k1')
    let recovered = 0
    for (let index = 0; index < inputs; index++) {
      const input = await anInput(index)
      const [ours, theirs] = [await outcome(recover, input), await outcome(recoverAddress, input)]
      expect(ours, JSON.stringify(input)).to.equal(theirs)
      if (ours !== 'nobody') recovered++
    }
    expect(recovered).to.be.within(inputs * 0.3, inputs * 0.9)
  })

  it('agrees with viem on every combination of extreme numbers', async function () {
    this.timeout(60_000)
    const { recover } = chooseRecovery()
    for (const r of edges) {
      for (const s of edges) {
        for (const hash of [0n, 1n, order, 2n ** 256n - 1n]) {
          for (const yParity of [0, 1]) {
            const input = { hash: word(hash), signature: { r: word(r), s: word(s), yParity } }
            expect(await outcome(recover, input), JSON.stringify(input)).to.equal(await outcome(recoverAddress, input))
          }
        }
      }
    }
  })

  it('refuses a parity that is none and words of another length', async () => {
    const { recover } = chooseRecovery()
    const { hash, signature } = await signed()
    expect(await outcome(recover, { hash, signature })).to.not.equal('nobody')
    for (const yParity of [2, 3, 27, -1, 0.5]) {
      expect(await outcome(recover, { hash, signature: { ...signature, yParity } })).to.equal('nobody')
    }
    for (const r of ['0x', '0x01', `${signature.r}00`] as Hex[]) {
      expect(await outcome(recover, { hash, signature: { ...signature, r } })).to.equal('nobody')
    }
    expect(await outcome(recover, { hash: '0x01', signature })).to.equal('nobody')
  })

  it('is left to viem where the binary does not load, or answers wrong', async () => {
    const missing = chooseRecovery(() => {
      throw new Error('no binary for this machine')
    })
    const wrong = chooseRecovery(() => ({ ecdsaRecover: () => new Uint8Array(65).fill(4) }))
    const input = await signed()
    for (const { by, recover } of [missing, wrong]) {
      expect(by).to.equal('viem')
      expect(await recover(input)).to.equal(await recoverAddress(input))
    }
  })
})

/**
 * By turns: signed as it should be, with a high s, with the other parity, with one bit
 * flipped, at random, at the edges.
 */
async function anInput(index: number): Promise<Input> {
  const pick = <T>(values: T[]): T => values[randomBytes(1)[0]! % values.length]!
  switch (index % 8) {
    case 0:
      return signed()
    case 1: {
      const { hash, signature } = await signed()
      return { hash, signature: { ...signature, s: word(order - BigInt(signature.s)), yParity: 1 - signature.yParity } }
    }
    case 2: {
      const { hash, signature } = await signed()
      return { hash, signature: { ...signature, yParity: 1 - signature.yParity } }
    }
    case 3: {
      const { hash, signature } = await signed()
      const name = pick<'r' | 's'>(['r', 's'])
      const flipped = BigInt(signature[name]) ^ (1n << BigInt(randomBytes(1)[0]!))
      return { hash, signature: { ...signature, [name]: word(flipped) } }
    }
    case 4:
      return { hash: random(), signature: { r: word(pick(edges)), s: random(), yParity: pick([0, 1]) } }
    case 5:
      return { hash: random(), signature: { r: random(), s: word(pick(edges)), yParity: pick([0, 1]) } }
    case 6:
      return { hash: word(pick(edges)), signature: { r: random(), s: random(), yParity: pick([0, 1]) } }
    default:
      return { hash: random(), signature: { r: random(), s: random(), yParity: pick([0, 1]) } }
  }
}

async function signed(): Promise<Input> {
  const hash = random()
  const { r, s, yParity } = await sign({ hash, privateKey: random() })
  return { hash, signature: { r, s, yParity: yParity! } }
}

function outcome(recover: RecoverAddress, input: Input): Promise<string> {
  return recover(input).then(
    (address) => address.toLowerCase(),
    () => 'nobody',
  )
}

function random(): Hex {
  return toHex(randomBytes(32))
}

function word(value: bigint): Hex {
  return numberToHex(value, { size: 32 })
}
