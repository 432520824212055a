import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiParameters,
  stringToHex,
  toHex,
} from 'viem'
import { delegateAbi } from '../../server/chain/generated/contracts.js'
import { batch, newAccount, newRecipient, startTestChain, stranger, type TestChain, tokenCall } from './chain.js'
import { batchId, executeData, signIntent, type SignOptions } from './intents.js'

describe('a delegated account', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  const sign = (account: Awaited<ReturnType<typeof newAccount>>, options?: SignOptions) =>
    signIntent(account, [batch(tokenCall(chain.usd, newRecipient(), 1n))], options)
  const revertOf = (account: { address: Hex }, { intent }: Awaited<ReturnType<typeof sign>>) =>
    chain.revertOf(stranger.address, account.address, executeData(intent))
  const execute = async (account: { address: Hex }, { intent }: Awaited<ReturnType<typeof sign>>) => {
    expect((await chain.send(stranger, { to: account.address, data: executeData(intent) })).status).to.equal('success')
  }

  /** The first word of the delegate's storage, by ERC-7201's formula. */
  function firstSlot(): bigint {
    const seed = BigInt(keccak256(stringToHex('crosschain-intents.delegate'))) - 1n
    return BigInt(keccak256(encodeAbiParameters(parseAbiParameters('uint256'), [seed]))) & ~0xffn
  }
  const wordAt = async (account: { address: Hex }, index: number) =>
    BigInt((await chain.reader.getStorageAt({ address: account.address, slot: toHex(firstSlot() + BigInt(index)) }))!)

  it('is not confused by what another delegate left in its storage', async () => {
    const account = newAccount()
    const other = await chain.deploy('OtherDelegate')
    await chain.delegateTo(account, other)
    const write = encodeFunctionData({ abi: chain.abiOf('OtherDelegate'), functionName: 'write' })
    await chain.send(stranger, { to: account.address, data: write })
    await chain.delegateTo(account, chain.delegate)
    await chain.mint(account.address, 5n)
    const signed = await sign(account)
    expect(await revertOf(account, signed)).to.equal(null)
    await execute(account, signed)
    // Away to the other one and back again: what has run stays run.
    await chain.delegateTo(account, other)
    await chain.delegateTo(account, chain.delegate)
    expect((await revertOf(account, signed))?.name).to.equal('DuplicateChainBatch')
  })

  it('keeps three ids in a word of its own namespace, and gives a place away once its intent has expired', async () => {
    const account = await chain.newDelegated()
    const now = await chain.now()
    const soon = [0n, 1n, 2n].map((nbf) => sign(account, { nbf, exp: now + 600n }))
    const [a, b, c] = await Promise.all(soon)
    for (const signed of [a!, b!, c!]) await execute(account, signed)
    const full = await wordAt(account, 0)
    expect(full).to.not.equal(0n)
    expect(await wordAt(account, 1)).to.equal(0n)

    await chain.passTime(600n + 256n)
    const later = await sign(account)
    await execute(account, later)
    // The first place of the first word: nothing but its 77 bits has changed.
    expect(((await wordAt(account, 0)) ^ full) & ~(((1n << 77n) - 1n) << 24n)).to.equal(0n)
    expect(await wordAt(account, 1)).to.equal(0n)
    expect(await chain.isProcessed(account.address, batchId(later.digest, 0))).to.equal(true)
    expect(await chain.isProcessed(account.address, batchId(a!.digest, 0))).to.equal(false)
    for (const signed of [a!, b!, c!]) expect((await revertOf(account, signed))?.name).to.equal('IntentExpired')
    expect((await revertOf(account, later))?.name).to.equal('DuplicateChainBatch')
  })

  it('finds ids again wherever a busy time has put them', async () => {
    const account = await chain.newDelegated()
    const exp = (await chain.now()) + 100_000n
    const many = await Promise.all(Array.from({ length: 16 }, (_, nbf) => sign(account, { nbf: BigInt(nbf), exp })))
    for (const signed of many) await execute(account, signed)
    expect(await wordAt(account, 3)).to.not.equal(0n)
    const forever = await sign(account, { exp: 2n ** 53n - 1n })
    const longest = await sign(account, { exp: 2n ** 256n - 1n })
    for (const signed of [forever, longest]) await execute(account, signed)
    for (const signed of [...many, forever, longest]) {
      expect((await revertOf(account, signed))?.name).to.equal('DuplicateChainBatch')
      expect(await chain.isProcessed(account.address, batchId(signed.digest, 0))).to.equal(true)
    }
  })

  it('answers for its own key (ERC-1271)', async () => {
    const account = await chain.newDelegated()
    const hash = toHex(randomBytes(32))
    const isValid = (signature: Hex) =>
      chain.reader.readContract({
        address: account.address,
        abi: delegateAbi,
        functionName: 'isValidSignature',
        args: [hash, signature],
      })
    const signature = await account.sign({ hash })
    expect(await isValid(signature)).to.equal('0x1626ba7e')
    const byAnother = await newAccount().sign({ hash })
    const changed: Hex = `0x${signature.slice(2, 4) === 'ff' ? '00' : 'ff'}${signature.slice(4)}`
    for (const wrong of [byAnother, changed, mirrored(signature), '0x1234', '0x', `${signature}00`] as Hex[]) {
      expect(await isValid(wrong)).to.equal('0xffffffff')
    }
  })

  it('takes collectibles and names its interfaces', async () => {
    const account = await chain.newDelegated()
    const read = (functionName: string, args: unknown[]) =>
      chain.reader.readContract({ address: account.address, abi: delegateAbi as Abi, functionName, args })
    const who = stranger.address
    expect(await read('onERC721Received', [who, who, 1n, '0x'])).to.equal('0x150b7a02')
    expect(await read('onERC1155Received', [who, who, 1n, 1n, '0x'])).to.equal('0xf23a6e61')
    expect(await read('onERC1155BatchReceived', [who, who, [], [], '0x'])).to.equal('0xbc197c81')
    for (const id of ['0x01ffc9a7', '0x150b7a02', '0x4e2312e0', '0x1626ba7e']) {
      expect(await read('supportsInterface', [id])).to.equal(true)
    }
    expect(await read('supportsInterface', ['0xffffffff'])).to.equal(false)
  })

  for (const signatureType of ['ecdsa', 'eip712'] as const) {
    it(`refuses the mirrored ${signatureType} signature, with a high s`, async () => {
      const account = await chain.newDelegated()
      const signed = await sign(account, { signatureType })
      const { intent } = signed
      const words = intent.signature.slice(132)
      const signature = `${mirrored(intent.signature.slice(0, 132) as Hex)}${words}` as Hex
      expect((await revertOf(account, { ...signed, intent: { ...intent, signature } }))?.name).to.equal(
        'InvalidSignature',
      )
      expect(await revertOf(account, signed)).to.equal(null)
    })
  }
})

/** The other signature that recovers to the same key: n - s, and the other v. */
function mirrored(signature: Hex): Hex {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = order - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.slice(130) === '1b' ? '1c' : '1b'
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` as Hex
}
