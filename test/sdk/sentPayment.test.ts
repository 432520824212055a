import { expect } from 'chai'
import { createWalletClient, http, type LocalAccount, parseUnits } from 'viem'
import { UnregisteredPaymentError } from '../../sdk/src/errors.js'
import type { OnDemandOptions } from '../../sdk/src/sendOnDemand.js'
import { intentActions } from '../../sdk/src/viem.js'
import { type Fault, type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'
import { pause } from '../support/pause.js'
import { useTestService } from '../support/useTestService.js'
import { balanceOf, fund, newUser, tokenOf } from '../support/wallets.js'

/** The wallet's node fails when it is given the payment of an account that signs by itself. */
describe('a payment that a node is given, and of which it says nothing good,', () => {
  const { service } = useTestService()
  const amount = parseUnits('1', 6)
  let node: FaultyNode
  before(async () => void (node = await startFaultyNode(service.chains[0].rpcUrls[0]!)))
  after(() => node.stop())

  /** Has a new account pay once, over a node that treats each raw transaction so, by how many it was given before. */
  async function pay(faultOf: (before: number) => Fault | null, options: Partial<OnDemandOptions> = {}) {
    const [a] = service.chains
    const account: LocalAccount = newUser()
    await fund(a, account.address, { usd: amount * 3n, native: parseUnits('1', 18) })
    let sends = 0
    node.behave((calls) => {
      if (!calls.some(({ method }) => method === 'eth_sendRawTransaction')) return { kind: 'pass' }
      return faultOf(sends++) ?? { kind: 'pass' }
    })
    const token = tokenOf(a, 'usd').address
    const pays = { from: account.address, to: a.vault, token, amount }
    const wallet = createWalletClient({ account, transport: http(node.url, { retryCount: 0 }) })
    const outcome = await wallet
      .extend(intentActions({ baseUrl: service.url }))
      .sendOnDemand({ intents: [{ chainBatches: [{ chainId: a.chainId, tokenTransfers: [pays] }] }], ...options })
      .catch((error: unknown) => error)
    return { outcome, sends, left: await balanceOf(a, token, account.address) }
  }

  for (const [what, faultOf] of [
    ['it has taken it and hangs up', (sends) => (sends === 0 ? { kind: 'loseAnswer' } : null)],
    ['it has taken it and hangs up each time', () => ({ kind: 'loseAnswer' })],
    ['it has not taken it', (sends) => (sends === 0 ? { kind: 'status', status: 502 } : null)],
  ] as [string, (before: number) => Fault | null][]) {
    it(`is sent as it was signed, is registered, and is paid once: ${what}`, async () => {
      const { outcome, left } = await pay(faultOf)
      expect(outcome).to.include({ status: 'success' })
      expect(left).to.equal(amount * 2n)
    })
  }

  it('is registered too where it may be there and nobody says so', async () => {
    const { outcome, sends, left } = await pay(() => ({ kind: 'status', status: 502 }), { stepTimeoutMs: 500 })
    expect(outcome).to.be.instanceOf(Error).and.to.have.property('actionId')
    expect(outcome, 'it was').not.to.be.instanceOf(UnregisteredPaymentError)
    expect(sends).to.equal(2)
    expect(left).to.equal(amount * 3n)
  })

  it('is none where the node refuses it, so that nothing was registered and it can be paid again', async () => {
    const refusal = { error: { code: -32000, message: 'insufficient funds for gas * price + value' } }
    const { outcome, left } = await pay(() => ({ kind: 'answer', answer: () => refusal }))
    expect(outcome).to.have.property('name', 'TransactionExecutionError')
    expect(left).to.equal(amount * 3n)
  })

  it('is told before it is registered, and not registered before that is done', async () => {
    const order: string[] = []
    const { outcome } = await pay(() => null, {
      async onProgress({ type }) {
        order.push(`${type} …`)
        await pause(20)
        order.push(type)
      },
    })
    expect(outcome).to.include({ status: 'success' })
    expect(order.slice(0, 4)).to.deep.equal(['created …', 'created', 'paid …', 'paid'])
    expect(order.filter((_, index) => index % 2 === 1)).to.deep.equal(
      order.filter((_, index) => index % 2 === 0).map((begun) => begun.replace(' …', '')),
    )
  })

  it('is named by the error where what was told of it could not be kept', async () => {
    const { outcome, left } = await pay(() => null, {
      async onProgress({ type }) {
        if (type === 'paid') throw new RangeError('the disk is full')
      },
    })
    expect(outcome).to.be.instanceOf(UnregisteredPaymentError)
    expect((outcome as UnregisteredPaymentError).cause).to.be.instanceOf(RangeError)
    expect((outcome as UnregisteredPaymentError).hash).to.match(/^0x[0-9a-f]{64}$/)
    expect(left).to.equal(amount * 2n)
  })
})
