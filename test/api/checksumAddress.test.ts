import { expect } from 'chai'
import { type Address, getAddress, keccak256 as keccak256ByViem } from 'viem'
import { useKeccak256 } from '../../sdk/src/keccak256.js'
import { checksumAddress } from '../../server/api/checksumAddress.js'
import { hashByWebAssembly } from '../../server/chain/keys/fastKeccak256.js'
import { randomAddress } from '../support/builders.js'

describe('an address as answers write it', () => {
  const addresses = Array.from({ length: 5_000 }, randomAddress)
  const edges = ['0', '9', 'a', 'f'].map((digit): Address => `0x${digit.repeat(40)}`)
  afterEach(() => useKeccak256(keccak256ByViem))

  it('is as viem writes it, whichever keccak256 the process has', async () => {
    for (const address of [...edges, ...addresses.slice(0, 500)]) {
      expect(checksumAddress(address)).to.equal(getAddress(address))
    }
    expect(await hashByWebAssembly()).to.equal('hash-wasm')
    for (const address of [...edges, ...addresses]) expect(checksumAddress(address)).to.equal(getAddress(address))
  })

  it('is the same for every letter case that it was given in', () => {
    for (const address of addresses.slice(0, 100)) {
      const written = getAddress(address)
      const capitals: Address = `0x${address.slice(2).toUpperCase()}`
      for (const given of [written, capitals]) expect(checksumAddress(given)).to.equal(written)
    }
  })

  it('is hashed by what the process has brought for that', () => {
    let hashed = 0
    useKeccak256((value) => {
      hashed += 1
      return keccak256ByViem(value)
    })
    checksumAddress(randomAddress())
    expect(hashed).to.equal(1)
  })
})
