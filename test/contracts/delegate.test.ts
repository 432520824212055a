import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Abi, encodeFunctionData, erc20Abi, type Hex, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { delegateAbi, devTokenAbi } from '../../server/chain/generated/contracts.js'
import { chainBatchId } from '../../sdk/src/signing.js'
import { executeData, signedForContract, startTestChain, stranger, type TestChain } from './chain.js'

describe('the delegate', () => {
  let chain: TestChain

  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  async function delegated() {
    const account = privateKeyToAccount(generatePrivateKey())
    await chain.delegateTo(account, chain.delegate)
    await chain.deployer.call(chain.usd, devTokenAbi as Abi, 'mint', [account.address, 100n])
    return account
  }

  const newRecipient = () => privateKeyToAccount(generatePrivateKey()).address
  const pay = (to: `0x${string}`, amount = 1n) => ({
    to: chain.usd,
    value: 0n,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
  })
  const batch = (...calls: ReturnType<typeof pay>[]) => ({ chainId: 31337, tokenTransfers: [], calls })
  const revertOf = (account: { address: `0x${string}` }, data: Hex) =>
    chain.revertOf(stranger.address, account.address, data)

  for (const signatureType of ['ecdsa', 'eip712'] as const) {
    describe(`with ${signatureType} signatures`, () => {
      it('runs what the account signed, whoever brings it, and says which batch', async () => {
        const account = await delegated()
        const to = newRecipient()
        const { intent, digest } = await signedForContract(account, [batch(pay(to, 7n))], { signatureType })
        const receipt = await chain.send(stranger, { to: account.address, data: executeData(intent) })
        expect(receipt.status).to.equal('success')
        expect(await chain.balanceOf(chain.usd, to)).to.equal(7n)
        expect(receipt.logs.map((log) => log.topics[1])).to.include(chainBatchId(digest, 0))
      })

      it('runs it once', async () => {
        const account = await delegated()
        const { intent } = await signedForContract(account, [batch(pay(newRecipient()))], { signatureType })
        const [first, second] = [
          await chain.send(stranger, { to: account.address, data: executeData(intent) }),
          await chain.send(stranger, { to: account.address, data: executeData(intent) }),
        ]
        expect([first.status, second.status]).to.deep.equal(['success', 'reverted'])
        expect((await revertOf(account, executeData(intent)))?.name).to.equal('DuplicateChainBatch')
      })

      it('runs the same calls again when they are signed in a new intent', async () => {
        const account = await delegated()
        const to = newRecipient()
        for (const nbf of [0, 1]) {
          const { intent } = await signedForContract(account, [batch(pay(to))], { signatureType, nbf })
          await chain.send(stranger, { to: account.address, data: executeData(intent) })
        }
        expect(await chain.balanceOf(chain.usd, to)).to.equal(2n)
      })

      it('runs equal batches of one intent one by one, each once', async () => {
        const account = await delegated()
        const to = newRecipient()
        const batches = [batch(pay(to)), batch(pay(to))]
        for (const carried of [[1], [0]]) {
          const { intent } = await signedForContract(account, batches, { signatureType, carried })
          const receipt = await chain.send(stranger, { to: account.address, data: executeData(intent) })
          expect(receipt.status).to.equal('success')
        }
        expect(await chain.balanceOf(chain.usd, to)).to.equal(2n)
      })

      it('refuses whatever differs from what was signed', async () => {
        const account = await delegated()
        const { intent } = await signedForContract(account, [batch(pay(newRecipient()), pay(newRecipient()))], {
          signatureType,
        })
        const [first] = intent.chainBatches
        const changes: Record<string, typeof intent> = {
          calls: { ...intent, chainBatches: [{ ...first!, calls: first!.calls.slice(0, 1) }] },
          recipient: { ...intent, chainBatches: [{ ...first!, calls: [pay(newRecipient()), first!.calls[1]!] }] },
          value: {
            ...intent,
            chainBatches: [{ ...first!, calls: [{ ...first!.calls[0]!, value: 1n }, first!.calls[1]!] }],
          },
          nbf: { ...intent, nbf: 1n },
          exp: { ...intent, exp: intent.exp + 1n },
          order: { ...intent, chainBatches: [{ ...first!, calls: [first!.calls[1]!, first!.calls[0]!] }] },
          another: {
            ...intent,
            chainBatches: [...intent.chainBatches, { hash: toHex(randomBytes(32)), chainId: 1n, calls: [] }],
          },
          signature: { ...intent, signature: flip(intent.signature, 10) },
        }
        for (const [what, changed] of Object.entries(changes)) {
          expect((await revertOf(account, executeData(changed)))?.name, what).to.equal('InvalidSignature')
        }
        expect(await revertOf(account, executeData(intent))).to.equal(null)
      })

      it('refuses the mirrored signature with a high s', async () => {
        const account = await delegated()
        const { intent } = await signedForContract(account, [batch(pay(newRecipient()))], { signatureType })
        const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
        const s = order - BigInt(`0x${intent.signature.slice(66, 130)}`)
        const v = intent.signature.slice(130, 132) === '1b' ? '1c' : '1b'
        const mirrored = `${intent.signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}${intent.signature.slice(132)}`
        const data = executeData({ ...intent, signature: mirrored as Hex })
        expect((await revertOf(account, data))?.name).to.equal('InvalidSignature')
      })
    })
  }

  it('covers the token transfers by eip712', async () => {
    const account = await delegated()
    const transfer = { from: 'solver' as const, to: account.address, token: chain.usd, amount: 5n }
    const batches = [{ ...batch(pay(newRecipient())), tokenTransfers: [transfer] }]
    const { intent } = await signedForContract(account, batches, { signatureType: 'eip712' })
    const other = `${intent.signature.slice(0, 132)}${toHex(randomBytes(32)).slice(2)}` as Hex
    expect((await revertOf(account, executeData({ ...intent, signature: other })))?.name).to.equal('InvalidSignature')
    expect(await revertOf(account, executeData(intent))).to.equal(null)
  })

  it('keeps to the time window', async () => {
    const account = await delegated()
    const soon = 3_999_999_000
    const early = await signedForContract(account, [batch(pay(newRecipient()))], { nbf: soon })
    expect((await revertOf(account, executeData(early.intent)))?.name).to.equal('IntentTooEarly')
    const late = await signedForContract(account, [batch(pay(newRecipient()))], { exp: 1_000 })
    expect((await revertOf(account, executeData(late.intent)))?.name).to.equal('IntentExpired')
  })

  it('refuses calls for another chain, another kind of signature and another signer', async () => {
    const account = await delegated()
    const elsewhere = await signedForContract(account, [{ ...batch(pay(newRecipient())), chainId: 5 }])
    expect(await revertOf(account, executeData(elsewhere.intent))).to.deep.equal({
      name: 'InvalidChainId',
      args: [31337n, 5n],
    })
    const good = await signedForContract(account, [batch(pay(newRecipient()))])
    const odd = { ...good.intent, signatureType: 'rsa' as 'ecdsa' }
    expect((await revertOf(account, executeData(odd)))?.name).to.equal('InvalidSignatureType')
    const other = await delegated()
    expect((await revertOf(other, executeData(good.intent)))?.name).to.equal('InvalidSignature')
  })

  it('undoes everything when a call fails, and tells which and why', async () => {
    const account = await delegated()
    const to = newRecipient()
    const { intent, digest } = await signedForContract(account, [batch(pay(to), pay(to, 1_000n))])
    const revert = await revertOf(account, executeData(intent))
    expect(revert?.name).to.equal('CallReverted')
    expect(String(revert?.args[1]).toLowerCase()).to.equal(chain.usd)
    await chain.send(stranger, { to: account.address, data: executeData(intent) })
    expect(await chain.balanceOf(chain.usd, to)).to.equal(0n)
    const processed = await chain.reader.readContract({
      address: account.address,
      abi: delegateAbi,
      functionName: 'isChainBatchProcessed',
      args: [chainBatchId(digest, 0)],
    })
    expect(processed).to.equal(false)
  })

  it('can’t be made to run a batch twice from inside of it', async () => {
    const account = await delegated()
    const token = await chain.deployHostile('ReentrantToken')
    const abi = chain.hostileAbi('ReentrantToken')
    await chain.deployer.call(token, abi, 'mint', [account.address, 10n])
    const to = newRecipient()
    const call = {
      to: token,
      value: 0n,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 1n] }),
    }
    const { intent } = await signedForContract(account, [batch(call)])
    await chain.deployer.call(token, abi, 'arm', [account.address, executeData(intent)])
    const receipt = await chain.send(stranger, { to: account.address, data: executeData(intent) })
    expect(receipt.status).to.equal('success')
    expect(await chain.balanceOf(token, to)).to.equal(1n)
    expect(await chain.reader.readContract({ address: token, abi, functionName: 'succeeded' })).to.equal(false)
  })

  it('is not confused by what another delegate left in the account’s storage', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const other = await chain.deployHostile('OtherDelegate')
    await chain.delegateTo(account, other)
    await chain.send(stranger, {
      to: account.address,
      data: encodeFunctionData({ abi: chain.hostileAbi('OtherDelegate'), functionName: 'write' }),
    })
    await chain.delegateTo(account, chain.delegate)
    await chain.deployer.call(chain.usd, devTokenAbi as Abi, 'mint', [account.address, 5n])
    const { intent } = await signedForContract(account, [batch(pay(newRecipient()))])
    expect(await revertOf(account, executeData(intent))).to.equal(null)
    const receipt = await chain.send(stranger, { to: account.address, data: executeData(intent) })
    expect(receipt.status).to.equal('success')
    // Away to the other one and back again: what has run stays run.
    await chain.delegateTo(account, other)
    await chain.delegateTo(account, chain.delegate)
    expect((await revertOf(account, executeData(intent)))?.name).to.equal('DuplicateChainBatch')
  })

  it('lets nobody but the account call selfExecute', async () => {
    const account = await delegated()
    const data = encodeFunctionData({ abi: delegateAbi, functionName: 'selfExecute', args: [[pay(newRecipient())]] })
    expect((await revertOf(account, data))?.name).to.equal('OnlySelf')
    expect(await chain.revertOf(account.address, account.address, data)).to.equal(null)
  })

  it('stands for the account’s own key (ERC-1271), takes tokens and names its interfaces', async () => {
    const account = await delegated()
    const hash = toHex(randomBytes(32))
    const read = (functionName: string, args: unknown[]) =>
      chain.reader.readContract({ address: account.address, abi: delegateAbi as Abi, functionName, args })
    expect(await read('isValidSignature', [hash, await account.sign({ hash })])).to.equal('0x1626ba7e')
    expect(
      await read('isValidSignature', [hash, await privateKeyToAccount(generatePrivateKey()).sign({ hash })]),
    ).to.equal('0xffffffff')
    expect(await read('isValidSignature', [hash, '0x1234'])).to.equal('0xffffffff')
    expect(await read('onERC721Received', [stranger.address, stranger.address, 1n, '0x'])).to.equal('0x150b7a02')
    expect(await read('onERC1155Received', [stranger.address, stranger.address, 1n, 1n, '0x'])).to.equal('0xf23a6e61')
    expect(await read('onERC1155BatchReceived', [stranger.address, stranger.address, [], [], '0x'])).to.equal(
      '0xbc197c81',
    )
    for (const id of ['0x01ffc9a7', '0x150b7a02', '0x4e2312e0', '0x1626ba7e'])
      expect(await read('supportsInterface', [id])).to.equal(true)
    expect(await read('supportsInterface', ['0xffffffff'])).to.equal(false)
  })
})

function flip(hex: Hex, at: number): Hex {
  return `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}` as Hex
}
