import { expect } from 'chai'
import type { Hex } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'
import type { JsonCall } from '../chain/faultyNode.js'
import { payingAction } from '../support/payingAction.js'
import { until } from '../support/until.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { fund, newUser, sendFrom, tokenOf, transferData } from '../support/wallets.js'

describe('a reorganisation within the confirmations', () => {
  const { service, api } = useServiceOnChains((chain) => ({ ...chain, confirmations: 4 }))

  it('that removes a deposit leaves no credit behind', async function () {
    this.timeout(60_000)
    const [chain] = service.chains
    const url = chain.rpcUrls[0]!
    const usd = tokenOf(chain, 'usd').address
    const user = newUser()
    await fund(chain, user.address, { usd: 9n, native: 10n ** 18n })
    const pay = () => sendFrom(chain, user, { to: usd, data: transferData(chain.vault, 4n) })
    const report = (txHash: string) =>
      api.post('/coredeposit', {
        ...{ user: user.address, sender: user.address, tokenAddress: usd, chainId: chain.chainId },
        ...{ txHash, amount: '4' },
      })
    const confirmations = async (txHash: string) => {
      const rows = await service.database.knex<{ transaction_hash: string; confirmations: number }>('deposits')
      return rows.find((row) => row.transaction_hash === txHash)?.confirmations
    }

    const removed = await pay()
    const waiting = report(removed)
    await until(async () => (await confirmations(removed)) === 1, 'the first confirmation')
    await rpc(url, 'anvil_reorg', [1, []])
    await rpc(url, 'anvil_mine', ['0x8'])
    expect((await waiting).status).to.equal(202)
    expect((await api.get(`/coredeposit/${user.address}`)).body.data.tokens).to.deep.equal([])

    const kept = await pay()
    const recorded = report(kept)
    await until(async () => (await confirmations(kept)) === 1, 'the first confirmation')
    await rpc(url, 'anvil_mine', ['0x3'])
    expect((await recorded).status).to.equal(200)
    expect((await api.get(`/coredeposit/${user.address}`)).body.data.tokens[0].available).to.equal('4')
  })
})

describe('a step’s transaction whose block is exchanged for another', function () {
  this.timeout(60_000)
  const { service, api, node } = useServiceBehindNode((chain) => ({ ...chain, confirmations: 4 }), { operators: 1 })
  const url = () => node().upstream!
  const open = () => service.database.knex('transactions').where({ status: 'open' })

  afterEach(() => rpc(url(), 'evm_setAutomine', [true]))

  /** Asks for a step of a user of its own; answers its path once its transaction is in the pool. */
  async function sent(): Promise<string> {
    const actionId = await payingAction(service.chains[0], url(), api)
    await api.execute(actionId, 0, 0, undefined, 0)
    await until(async () => (await open().whereNotNull('sent_at')).length === 1, 'the step in the pool')
    return `/actions/${actionId}/intents/0/steps/0`
  }

  /** Whoever watches the chain has asked for its head often enough to have seen the one of now. */
  async function seen(): Promise<void> {
    const looks = () =>
      node()
        .requests.flat()
        .filter(({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest').length
    const before = looks()
    await until(() => looks() > before + 6, 'looks at the head')
  }

  const pooled = async () => Number(((await rpc(url(), 'txpool_status', [])) as { pending: string }).pending)

  async function ends(step: string): Promise<void> {
    await rpc(url(), 'anvil_mine', ['0x4'])
    await until(async () => (await api.get(step)).body.status === 'success', step)
  }

  it('is found in one of the same number, though nothing else would look for it', async () => {
    const step = await sent()
    const { raw } = await service.database.knex('attempts').whereIn('transaction_id', open().select('id')).first('raw')
    await rpc(url(), 'anvil_dropAllTransactions', [])
    await rpc(url(), 'evm_mine', [])
    await open().update({ due_at: Date.now() + 600_000 })
    const number = Number(await rpc(url(), 'eth_blockNumber', []))
    // The block was seen, and has nothing of ours.
    await seen()
    await rpc(url(), 'anvil_reorg', [1, [[raw, 0]]])
    expect(Number(await rpc(url(), 'eth_blockNumber', []))).to.equal(number)
    await until(async () => (await api.get(step)).body.blockNumber === number, 'the block that has it', 5_000)
    await ends(step)
  })

  it('is sent again once there is another block of that number, though the chain was shorter in between', async () => {
    const step = await sent()
    await rpc(url(), 'evm_mine', [])
    await until(async () => (await api.get(step)).body.confirmations === 1, 'the first confirmation')
    // Later it is not due, which is what sends it again by itself.
    await until(
      async () => Number((await open().first('due_at')).due_at) < Date.now(),
      'the time to look after it',
      10_000,
    )
    await rpc(url(), 'anvil_rollback', [1])
    await rpc(url(), 'anvil_dropAllTransactions', [])
    await seen()
    await rpc(url(), 'evm_mine', [])
    await until(async () => (await pooled()) === 1, 'it in the pool again', 5_000)
    await ends(step)
  })

  /**
   * A step in a block that has been exchanged for one without it. From now on two nodes are behind one address: one has
   * the exchanged block as its newest still, and answers whoever asks for that or for what is in it; the other has four
   * blocks from its number on.
   */
  async function exchanged() {
    const step = await sent()
    await open().update({ due_at: Date.now() + 600_000 })
    const { hash } = await service.database
      .knex('attempts')
      .whereIn('transaction_id', open().select('id'))
      .first('hash')
    const latest = ({ method, params }: JsonCall) => method === 'eth_getBlockByNumber' && params[0] === 'latest'
    const before: unknown = await rpc(url(), 'eth_getBlockByNumber', ['latest', false])
    node().behave({ kind: 'answer', answer: (call) => (latest(call) ? { result: before } : null) })
    await seen()
    await rpc(url(), 'evm_mine', [])
    const number = (await rpc(url(), 'eth_blockNumber', [])) as Hex
    const block: unknown = await rpc(url(), 'eth_getBlockByNumber', [number, false])
    const receipts = (await rpc(url(), 'eth_getBlockReceipts', [number])) as object[]
    await rpc(url(), 'anvil_reorg', [1, []])
    await rpc(url(), 'anvil_dropAllTransactions', [])
    await rpc(url(), 'anvil_mine', ['0x3'])
    const isOfIt = ({ params }: JsonCall) => params[0] === number || params[0] === hash
    const left = ({ method, params }: JsonCall) => {
      if (method === 'eth_getBlockReceipts') return { result: params[0] === number ? receipts : null }
      if (method === 'eth_getTransactionReceipt') return { result: params[0] === hash ? receipts[0] : null }
      if (method !== 'eth_getBlockByNumber' || Number(params[0]) < Number(number)) return null
      return { result: params[0] === number || params[0] === 'latest' ? block : null }
    }
    node().behave((calls) => (calls.some(isOfIt) ? { kind: 'answer', answer: left } : { kind: 'pass' }))
    return { step, number: Number(number) }
  }

  /** It is carried out on the chain as that is now, which every node has from now on. */
  async function endsAnew({ step, number }: { step: string; number: number }): Promise<void> {
    expect((await api.get(step)).body.status).to.equal('executing')
    node().behave({ kind: 'pass' })
    await open().update({ due_at: 1 })
    await until(async () => (await pooled()) === 1, 'it in the pool again', 15_000)
    await ends(step)
    expect((await api.get(step)).body.blockNumber).to.be.greaterThan(number)
  }

  it('is not settled in one that the block above does not name as its parent, however many are above', async () => {
    const one = await exchanged()
    await seen()
    await endsAnew(one)
  })

  it('is not settled in one that has not got as many above it where it is the chain’s', async () => {
    const one = await exchanged()
    await open().update({ due_at: 1 })
    const isMined = async () => (await open().whereNotNull('mined_block')).length === 1
    await until(isMined, 'its receipt to be seen')
    await seen()
    await endsAnew(one)
  })
})
