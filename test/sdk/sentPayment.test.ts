import { expect } from 'chai'
import { createWalletClient, fallback, http, type LocalAccount, parseUnits, type Transport } from 'viem'
import { toAccount } from 'viem/accounts'
import { createIntentClient } from '../../sdk/src/client.js'
import { IntentError, UnregisteredPaymentError } from '../../sdk/src/errors.js'
import type { OnDemandOptions } from '../../sdk/src/sendOnDemand.js'
import type { Progress } from '../../sdk/src/progress.js'
import { signRegistration } from '../../sdk/src/sign.js'
import { intentActions } from '../../sdk/src/viem.js'
import { type Fault, type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'
import { rpc } from '../../server/devnet/anvil.js'
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
  async function pay(
    faultOf: (before: number) => Fault | null,
    options: Partial<OnDemandOptions> = {},
    account: LocalAccount = newUser(),
    transport: Transport = http(node.url, { retryCount: 0 }),
  ) {
    const [a] = service.chains
    await fund(a, account.address, { usd: amount * 3n, native: parseUnits('1', 18) })
    let sends = 0
    node.behave((calls) => {
      if (!calls.some(({ method }) => method === 'eth_sendRawTransaction')) return { kind: 'pass' }
      return faultOf(sends++) ?? { kind: 'pass' }
    })
    const token = tokenOf(a, 'usd').address
    const pays = { from: account.address, to: a.vault, token, amount }
    const wallet = createWalletClient({ account, transport })
    const outcome = await wallet
      .extend(intentActions({ baseUrl: service.url }))
      .sendOnDemand({ intents: [{ chainBatches: [{ chainId: a.chainId, tokenTransfers: [pays] }] }], ...options })
      .catch((error: unknown) => error)
    return { outcome, sends, account, left: await balanceOf(a, token, account.address) }
  }

  /** The call is aborted while it waits for who is told of this, and who takes for ever. */
  function abortedAt(told: Progress['type']): Partial<OnDemandOptions> {
    const controller = new AbortController()
    return {
      signal: controller.signal,
      onProgress({ type }) {
        if (type !== told) return
        setImmediate(() => controller.abort(new RangeError('enough')))
        return new Promise(() => undefined)
      },
    }
  }

  for (const [what, faultOf] of [
    ['it has taken it and hangs up', (sends) => (sends === 0 ? { kind: 'loseAnswer' } : null)],
    ['it has not taken it', (sends) => (sends === 0 ? { kind: 'status', status: 502 } : null)],
    [
      'a page of its gateway, with words of a refusal, comes instead',
      (sends) => (sends === 0 ? { kind: 'status', status: 504, body: 'Las Vegas: upstream exceeds its time' } : null),
    ],
  ] as [string, (before: number) => Fault | null][]) {
    it(`is sent as it was signed, is registered, and is paid once: ${what}`, async () => {
      const { outcome, left } = await pay(faultOf)
      expect(outcome).to.include({ status: 'success' })
      expect(left).to.equal(amount * 2n)
    })
  }

  it('is sent again until the node is back', async () => {
    const { outcome, sends, left } = await pay((before) => (before < 4 ? { kind: 'status', status: 502 } : null))
    expect(outcome).to.include({ status: 'success' })
    expect(sends).to.equal(5)
    expect(left).to.equal(amount * 2n)
  })

  it('is registered where it is there and nobody has said so', async function () {
    this.timeout(90_000)
    const { outcome, sends, left } = await pay(() => ({ kind: 'loseAnswer' }))
    expect(outcome).to.include({ status: 'success' })
    expect(sends).to.be.within(9, 12)
    expect(left).to.equal(amount * 2n)
  })

  const said = ['already known', 'nonce too low: next nonce 1, tx nonce 0', 'upstream request timed out']
  for (const message of said) {
    it(`is there where the node says "${message}", whatever another one knows of it`, async () => {
      const [a] = service.chains
      const { outcome, left } = await pay(() => ({
        kind: 'answer',
        answer: ({ method, params }) => {
          if (method !== 'eth_sendRawTransaction') return null
          // Something on the way has sent it, and sends it again.
          rpc(a.rpcUrls[0]!, method, params).catch(() => 'the first has arrived')
          return { error: { code: -32000, message } }
        },
      }))
      expect(outcome).to.include({ status: 'success' })
      expect(left).to.equal(amount * 2n)
    })
  }

  it('is made by an account of a class, whose methods need it', async () => {
    class Keeper {
      readonly type = 'local'
      readonly source = 'custom'
      readonly #account = newUser()
      get address() {
        return this.#account.address
      }
      get publicKey() {
        return this.#account.publicKey
      }
      signTransaction(...given: Parameters<LocalAccount['signTransaction']>) {
        return this.#account.signTransaction(...given)
      }
      signTypedData(...given: Parameters<LocalAccount['signTypedData']>) {
        return this.#account.signTypedData(...given)
      }
    }
    const keeper = new Keeper() as unknown as LocalAccount
    const { outcome, left } = await pay(() => null, {}, keeper)
    expect(outcome).to.include({ status: 'success' })
    expect(left).to.equal(amount * 2n)
  })

  it('is made by an account of one’s own, which is told how to write it down', async () => {
    const key = newUser()
    const account = toAccount({
      address: key.address,
      signMessage: (given) => key.signMessage(given),
      signTypedData: (given) => key.signTypedData(given as never),
      async signTransaction(transaction, options) {
        // Always given, as viem's own page has it.
        const { serializer } = options!
        return key.signTransaction(transaction, serializer && { serializer })
      },
    })
    const { outcome, left } = await pay(() => null, {}, account)
    expect(outcome).to.include({ status: 'success' })
    expect(left).to.equal(amount * 2n)
  })

  it('ends with the signal, and names its hash, where nobody takes what was told of it', async () => {
    const { outcome } = await pay(() => null, abortedAt('paid'))
    expect(outcome).to.be.instanceOf(UnregisteredPaymentError)
    expect((outcome as UnregisteredPaymentError).cause).to.be.instanceOf(RangeError)
  })

  const refusals = [
    'insufficient funds for gas * price + value',
    'max fee per gas less than block base fee',
    'replacement transaction underpriced',
    'nonce too high',
    'invalid sender',
    'tx fee (2.00 ether) exceeds the configured cap (1.00 ether)',
  ]
  for (const message of refusals) {
    it(`is none where the node refuses it, so that nothing was registered and it can be paid again: ${message}`, async () => {
      const refusal = { error: { code: -32000, message } }
      const { outcome, sends, left } = await pay(() => ({ kind: 'answer', answer: () => refusal }))
      expect(outcome).to.have.property('name', 'TransactionExecutionError')
      expect(outcome).to.have.property('details', message)
      expect(sends).to.equal(1)
      expect(left).to.equal(amount * 3n)
    })
  }

  it('is registered where one of several nodes has taken it and hangs up, and another one refuses it', async () => {
    const other = await startFaultyNode(service.chains[0].rpcUrls[0]!)
    const refusal = { error: { code: -32000, message: 'transaction underpriced: pool is full' } }
    const isSent = (method: string) => method === 'eth_sendRawTransaction'
    other.behave({ kind: 'answer', answer: ({ method }) => (isSent(method) ? refusal : null) })
    const transport = fallback([http(node.url, { retryCount: 0 }), http(other.url, { retryCount: 0 })], {
      retryCount: 0,
    })
    const { outcome, left } = await pay(
      (sends) => (sends === 0 ? { kind: 'loseAnswer' } : null),
      {},
      newUser(),
      transport,
    )
    await other.stop()
    expect(outcome).to.include({ status: 'success' })
    expect(left).to.equal(amount * 2n)
  })

  it('is told before any node has it, with all that it takes to have it made and registered by another process', async () => {
    const told: Progress[] = []
    const { outcome, sends, left, account } = await pay(() => null, {
      onProgress(progress) {
        told.push(progress)
        if (progress.type === 'paying') throw new RangeError('the process ends')
      },
    })
    expect(outcome).to.be.instanceOf(RangeError)
    expect([sends, left]).to.deep.equal([0, amount * 3n])
    const paying = told.at(-1) as Progress & { type: 'paying' }
    const { step, hash, raw } = paying
    const [a] = service.chains
    expect(await rpc(a.rpcUrls[0]!, 'eth_sendRawTransaction', [raw])).to.equal(hash)
    const client = createIntentClient({ baseUrl: service.url })
    const signature = await signRegistration({ account, ...step, hash })
    await client.executeStep(step, { hash, signature })
    expect(await client.runAction(step.actionId)).to.include({ status: 'success' })
    expect(await balanceOf(a, tokenOf(a, 'usd').address, account.address)).to.equal(amount * 2n)
  })

  it('is sent to nobody where the call is aborted while it is told', async () => {
    const { outcome, sends } = await pay(() => null, abortedAt('paying'))
    expect(outcome).to.be.instanceOf(RangeError)
    expect(sends).to.equal(0)
  })

  it('is none of a contract, as which nobody could claim it', async () => {
    const account = newUser()
    await rpc(service.chains[0].rpcUrls[0]!, 'anvil_setCode', [account.address, '0x00'])
    const { outcome, sends, left } = await pay(() => null, {}, account)
    expect((outcome as Error).message).to.contain('is a contract on chain 31337')
    expect(outcome).to.be.instanceOf(IntentError)
    expect(sends).to.equal(0)
    expect(left).to.equal(amount * 3n)
  })

  it('is made by an account that borrows a delegate', async () => {
    const account = newUser()
    const [a] = service.chains
    await rpc(a.rpcUrls[0]!, 'anvil_setCode', [account.address, `0xef0100${a.delegates[0]!.slice(2)}`])
    const { outcome, left } = await pay(() => null, {}, account)
    expect(outcome).to.include({ status: 'success' })
    expect(left).to.equal(amount * 2n)
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
    expect(order.slice(0, 6)).to.deep.equal(['created …', 'created', 'paying …', 'paying', 'paid …', 'paid'])
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
