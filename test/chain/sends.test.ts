import { expect } from 'chai'
import { encodeFunctionData, type Hash, type Hex, keccak256 } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { devTokenAbi } from '../../server/chain/generated/contracts.js'
import { until } from '../support/until.js'
import { account, type DevChain, lower, startDevChain } from './devChain.js'
import { type Fault, type FaultyNode, startFaultyNode } from './faultyNode.js'

describe('a transaction that is sent', () => {
  let dev: DevChain
  before(async () => {
    dev = await startDevChain()
  })
  after(() => dev.stop())

  const unknownHash: Hash = `0x${'ee'.repeat(32)}`
  const sender = account(5)
  let nonce: number
  beforeEach(async () => {
    nonce = Number(await dev.rpc('eth_getTransactionCount', sender.address, 'pending'))
  })

  function sign(
    fields: Partial<{
      nonce: number
      gas: bigint
      value: bigint
      chainId: number
      maxFeePerGas: bigint
      data: Hex
    }> = {},
  ) {
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
    return sender.signTransaction({
      type: 'eip1559',
      chainId: 31337,
      nonce,
      gas: 21_000n,
      to: dev.vault,
      ...fees,
      ...fields,
    })
  }

  it('says what became of the transaction', async () => {
    expect(await send(dev.chain, await sign({ nonce: nonce + 3 }))).to.deep.equal({ kind: 'accepted', text: 'ok' })
    const kinds: [string, string][] = [
      ['known', await sign({ nonce: nonce + 3 })],
      ['slotTaken', await sign({ nonce: nonce + 3, value: 1n })],
      ['unfunded', await sign({ value: 10n ** 30n })],
      ['notPooled', await sign({ maxFeePerGas: 1n })],
      ['dead', await sign({ gas: 20_000n })],
      ['dead', await sign({ gas: 10n ** 9n })],
      ['dead', await sign({ chainId: 1 })],
      ['dead', '0x02ff'],
    ]
    for (const [kind, raw] of kinds) expect((await send(dev.chain, raw as Hex)).kind).to.equal(kind)
  })

  it('knows a nonce that is used up', async () => {
    const raw = await sign({ gas: 60_000n })
    await send(dev.chain, raw)
    await until(async () => (await dev.chain.receipts([keccak256(raw)]))[0], 'the receipt')
    expect((await send(dev.chain, await sign({ gas: 60_000n, value: 1n }))).kind).to.equal('consumed')
    expect((await send(dev.chain, raw)).kind).to.be.oneOf(['consumed', 'known'])
  })

  it('takes a lost answer for a transaction that may be sent, which it is', async () => {
    const node = await startFaultyNode(dev.url)
    const chain = dev.connect({ urls: [node.url] })
    await chain.head()
    node.behave({ kind: 'loseAnswer' })
    const raw = await sign({ gas: 60_000n })
    expect((await send(chain, raw)).kind).to.equal('ambiguous')
    await until(async () => (await dev.chain.receipts([keccak256(raw)]))[0], 'the receipt')
    await node.stop()
  })

  it('hands a transaction to every node and believes the one that takes it', async () => {
    const node = await startFaultyNode(dev.url)
    const chain = dev.connect({ urls: [node.url, dev.url], sendTimeoutMs: 5_000 })
    for (const fault of [{ kind: 'status', status: 502 }, { kind: 'silence' }] as const) {
      node.behave(fault)
      nonce = Number(await dev.rpc('eth_getTransactionCount', sender.address, 'pending'))
      expect((await send(chain, await sign({ gas: 60_000n }))).kind).to.equal('accepted')
      await until(
        async () => Number(await dev.rpc('eth_getTransactionCount', sender.address, 'latest')) > nonce,
        'the nonce to be used up',
      )
    }
    expect(node.requests.length).to.be.greaterThan(0)
    await node.stop()
  })

  describe('which one node refuses for a user’s own transactions', () => {
    let refusing: FaultyNode
    let other: FaultyNode
    beforeEach(async () => {
      refusing = await startFaultyNode()
      other = await startFaultyNode(dev.url)
      const error = { code: -32000, message: 'authority already reserved' }
      refusing.behave({
        kind: 'answer',
        answer: ({ method }) => (method === 'eth_sendRawTransaction' ? { error } : null),
      })
    })
    afterEach(() => Promise.all([refusing.stop(), other.stop()]))

    /** Not as long as else, as one of them may be silent, and long enough for the other one on a busy machine. */
    const sendBy = async (...urls: string[]) =>
      (await send(dev.connect({ urls, sendTimeoutMs: 2_000 }), await sign())).kind

    it('is refused where no connection to the other one is made, which cannot have it', async () => {
      for (const url of ['http://127.0.0.1:1', 'http://nowhere.invalid']) {
        expect(await sendBy(url, refusing.url)).to.equal('authorityBusy')
        expect(await sendBy(url), 'by itself it says nothing').to.equal('ambiguous')
      }
    })

    const unclear: Fault[] = [
      { kind: 'silence' },
      { kind: 'status', status: 502 },
      { kind: 'reset' },
      { kind: 'answer', answer: ({ method }) => (method === 'eth_chainId' ? null : { error: { message: 'busy' } }) },
    ]
    for (const fault of unclear) {
      it(`may be sent where the other one was connected to and fails by ${fault.kind}`, async () => {
        other.behave(fault)
        expect(await sendBy(refusing.url, other.url)).to.equal('perhapsBusy')
        expect(await sendBy(other.url)).to.equal('ambiguous')
      })
    }

    it('may be sent where the other one takes it and then says nothing', async () => {
      other.behave({ kind: 'loseAnswer' })
      const raw = await sign({ gas: 60_000n })
      const chain = dev.connect({ urls: [refusing.url, other.url] })
      expect((await send(chain, raw)).kind).to.equal('perhapsBusy')
      await until(async () => (await dev.chain.receipts([keccak256(raw)]))[0], 'the receipt')
    })

    it('may be sent where the other one breaks a connection that it has answered on before', async () => {
      const chain = dev.connect({ urls: [refusing.url, other.url] })
      expect((await send(chain, await sign({ nonce: nonce + 9 }))).kind).to.equal('accepted')
      other.behave({ kind: 'reset' })
      expect((await send(chain, await sign())).kind).to.equal('perhapsBusy')
    })
  })

  it('never throws, whatever nodes do, and tells nothing secret', async () => {
    const node = await startFaultyNode(dev.url)
    const url = `${node.url}/v2/s3cr3t-k3y`
    const raw = await sign()
    const faults: Fault[] = [
      { kind: 'silence' },
      { kind: 'status', status: 401, body: `bad key s3cr3t-k3y at ${url}` },
      { kind: 'answer', answer: () => ({ error: { code: -32603, message: `internal error at ${url} for ${raw}` } }) },
      { kind: 'answer', answer: ({ method }) => ({ result: method === 'eth_chainId' ? '0x1' : keccak256(raw) }) },
      { kind: 'answer', answer: ({ method }) => ({ result: method === 'eth_chainId' ? '0x7a69' : unknownHash }) },
      { kind: 'raw', body: () => 'null' },
    ]
    for (const fault of faults) {
      node.behave(fault)
      const chain = dev.connect({ urls: [url], sendTimeoutMs: fault.kind === 'silence' ? 200 : 5_000 })
      const { kind, text } = await send(chain, raw)
      expect(kind).to.equal('ambiguous')
      expect(text).to.not.be.empty.and.not.match(/s3cr3t|http/)
      expect(text).to.not.include(raw.slice(10))
    }
    await node.stop()
  })

  it('does not believe a node that has come to be of another chain', async () => {
    const node = await startFaultyNode(dev.url)
    const chain = dev.connect({ urls: [node.url] })
    await send(chain, await sign({ nonce: nonce + 5 }))
    node.behave({
      kind: 'answer',
      answer: ({ method }) =>
        method === 'eth_chainId'
          ? { result: '0x1' }
          : { error: { code: -32003, message: 'invalid chain id for signer' } },
    })
    expect((await send(chain, await sign({ nonce: nonce + 6 }))).kind).to.equal('ambiguous')
    await node.stop()
  })

  it('tells the nonce of transactions that wait, where asked for the pending block', async () => {
    const sender = account(6)
    await dev.rpc('evm_setAutomine', false)
    const transfer = encodeFunctionData({ abi: devTokenAbi, functionName: 'transfer', args: [dev.vault, 0n] })
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
    await send(
      dev.chain,
      await sender.signTransaction({
        type: 'eip1559',
        chainId: 31337,
        nonce: 0,
        gas: 80_000n,
        to: dev.token,
        data: transfer,
        ...fees,
      }),
    )
    const nonces = await Promise.all(
      (['latest', 'pending'] as const).map(
        async (tag) => (await dev.chain.accounts([lower(sender.address)], tag))[0]!.nonce,
      ),
    )
    await dev.rpc('evm_setAutomine', true)
    expect(nonces).to.deep.equal([0, 1])
  })
})

function send(chain: Chain, raw: Hex) {
  return chain.send({ raw, hash: keccak256(raw) })
}
