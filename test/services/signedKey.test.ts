import { expect } from 'chai'
import { signedKeyOf } from '../../server/services/actions.js'
import { randomAddress, randomHash } from '../support/builders.js'

describe('Key of a signed intent', () => {
  const user = randomAddress()
  const digest = randomHash()

  it('sorts by the end of its time, up to the latest there is', () => {
    const ends = [0, 255, 256, 2_000_000_000, 2 ** 53 - 1]
    const keys = ends.map((exp) => signedKeyOf(user, { digest, exp }))
    expect(keys).to.deep.equal([...keys].sort())
    for (const key of keys) expect(key).to.match(/^0x[0-9a-f]{64}$/)
  })

  it('is the same for the same intent alone', () => {
    const key = signedKeyOf(user, { digest, exp: 1 })
    expect(signedKeyOf(user, { digest, exp: 1 })).to.equal(key)
    expect(signedKeyOf(user, { digest: randomHash(), exp: 1 })).not.to.equal(key)
    expect(signedKeyOf(randomAddress(), { digest, exp: 1 })).not.to.equal(key)
  })
})
