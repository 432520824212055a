import { expect } from 'chai'
import { numberToHex, parseGwei } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { rpc } from '../../server/devnet/anvil.js'
import { createLeftOverCheck } from '../../server/engine/lanes/leftOver.js'
import type { EngineTools } from '../../server/engine/tools.js'
import { randomAddress } from '../support/builders.js'
import { until } from '../support/until.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'
import { actionOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

/** By then lanes have been checked for every block before the steps were sent, and these could be in the next. */
const settledMs = 1_500

describe('what a full block has left over', function () {
  this.timeout(60_000)
  const { service, api, node } = useServiceBehindNode((chain) => chain, { operators: 1 })
  const url = () => node().upstream!

  /**
   * Asks for steps of as many users, each in a transaction of its own, and answers their
   * paths once all are in the pool.
   */
  async function send(steps: number): Promise<string[]> {
    const [chain] = service.chains
    const usd = tokenOf(chain, 'usd').address
    const actionIds: string[] = []
    for (let left = steps + 1; left > 0; left--) {
      const user = newUser()
      await fund(chain, user.address, { usd: 9n })
      const calls = [{ to: usd, value: 0n, data: transferData(chain.vault, 9n) }]
      actionIds.push((await api.post('/actions', await actionOf(user, chain, calls))).body.actionId)
    }
    // Carried out, so that the blocks up to now have been seen before the others are sent.
    const [first, ...others] = actionIds
    expect((await api.execute(first!, 0, 0)).body.status).to.equal('success')
    // So soon after the last, lanes are not checked for it before the others are sent,
    // none of which it could have taken.
    await rpc(url(), 'evm_mine', [])
    await rpc(url(), 'evm_setAutomine', [false])
    for (const [before, actionId] of others.entries()) {
      await api.execute(actionId, 0, 0, undefined, 0)
      await until(async () => (await pooled()) === before + 1, 'the step in the pool')
    }
    const sentAt = await until(sends, 'all sends in the journal')
    await until(() => Date.now() - Math.max(...sentAt) > settledMs, 'the checks for earlier blocks')
    // Nothing else is to look after them meanwhile.
    await open().update({ due_at: Date.now() + 600_000 })
    return others.map((actionId) => `/actions/${actionId}/intents/0/steps/0`)
  }

  async function pooled(): Promise<number> {
    const { pending, queued } = await waiting()
    return pending + queued
  }

  /** How many transactions the pool has: those that a block may take, and those behind a nonce that it lacks. */
  async function waiting(): Promise<{ pending: number; queued: number }> {
    const { pending, queued } = (await rpc(url(), 'txpool_status', [])) as { pending: string; queued: string }
    return { pending: Number(pending), queued: Number(queued) }
  }

  const open = () => service.database.knex('transactions').where({ status: 'open' })

  /** When each was sent; null while one is not known to be. */
  async function sends(): Promise<number[] | null> {
    const rows = await open().select<{ sent_at: number | null }[]>('sent_at')
    const times = rows.flatMap(({ sent_at }) => (sent_at === null ? [] : [Number(sent_at)]))
    return times.length === rows.length ? times : null
  }

  const hasSucceeded = async (step: string) => (await api.get(step)).body.status === 'success'

  afterEach(async () => {
    // What a failure leaves behind is no other test's.
    node().behave({ kind: 'pass' })
    await open().update({ due_at: 0 })
    await rpc(url(), 'evm_setAutomine', [true])
    await until(async () => (await open()).length === 0, 'nothing to be open any more')
  })

  it('is sent again at once, all of it, when the node has dropped it', async () => {
    const steps = await send(6)
    await rpc(url(), 'anvil_dropAllTransactions', [])
    expect(await pooled()).to.equal(0)
    await rpc(url(), 'evm_mine', [])
    await until(async () => (await pooled()) === steps.length, 'all of them in the pool again')

    await rpc(url(), 'evm_mine', [])
    for (const step of steps) await until(() => hasSucceeded(step), step)
  })

  it('is sent again at once where the node has dropped some of it and kept the lowest', async () => {
    const steps = await send(6)
    const raws = await open()
      .join('attempts', 'attempts.transaction_id', 'transactions.id')
      .orderBy('nonce')
      .pluck<string[]>('raw')
    await rpc(url(), 'anvil_dropAllTransactions', [])
    // A block that somebody else fills: each byte of data is 40 gas.
    const { gasLimit } = (await rpc(url(), 'eth_getBlockByNumber', ['latest', false])) as { gasLimit: string }
    await rpc(url(), 'evm_setBlockGasLimit', [numberToHex(300_000)])
    const [from] = (await rpc(url(), 'eth_accounts', [])) as string[]
    const data = `0x${'ff'.repeat(6_000)}`
    const fees = { gas: numberToHex(270_000), gasPrice: numberToHex(parseGwei('100')) }
    await rpc(url(), 'eth_sendTransaction', [{ from, to: from, data, ...fees }])
    for (const place of [0, 3]) await rpc(url(), 'eth_sendRawTransaction', [raws[place]])
    expect(await waiting()).to.deep.equal({ pending: 2, queued: 1 })
    await rpc(url(), 'evm_mine', [])
    await rpc(url(), 'evm_setBlockGasLimit', [gasLimit])
    expect((await waiting()).pending).to.be.greaterThan(0)
    await until(async () => (await waiting()).pending === steps.length, 'all of them in the pool again', 4_000)

    await rpc(url(), 'evm_mine', [])
    for (const step of steps) await until(() => hasSucceeded(step), step)
  })

  it('keeps nothing waiting for a node that does not say whether it has it', async () => {
    const [step] = await send(1)
    node().behave({ kind: 'silence', method: 'eth_sendRawTransaction' })
    const handed = () =>
      node()
        .requests.flat()
        .filter(({ method }) => method === 'eth_sendRawTransaction').length
    const before = handed()
    await rpc(url(), 'anvil_dropAllTransactions', [])
    await rpc(url(), 'evm_mine', [])
    await until(() => handed() > before, 'the node to be asked')

    const form = await service.database.knex('attempts').whereIn('transaction_id', open().select('id')).first('raw')
    await rpc(url(), 'eth_sendRawTransaction', [form.raw])
    await rpc(url(), 'evm_mine', [])
    // A node is waited for 10 s when something is sent.
    await until(() => hasSucceeded(step!), 'the step', 5_000)
  })
})

describe('what is left over and has nothing that waits for it', () => {
  for (const isUnwanted of [false, true]) {
    it(isUnwanted ? 'is handed to no node, since it is to be cancelled' : 'is, while something does', async () => {
      const sent: string[] = []
      let looks = 0
      const forms = [{ hash: '0x1', raw: '0x', isCancel: false }]
      const chain = {
        config: { chainId: 1 },
        nonces: async () => [[3]],
        send: async ({ hash }: { hash: string }) => (sent.push(hash), { kind: 'notPooled', text: '' }),
      } as unknown as Chain
      const signer = randomAddress()
      const tools = {
        signers: new Map([[signer, {}]]),
        store: {
          lowestUnminedNonce: async () => ((looks += 1), 3),
          readUnmined: async () => ({ signer, nonce: 3, sentAt: 1, forms, isUnwanted }),
        },
        log: { info: () => undefined, warn: () => undefined },
      } as unknown as EngineTools
      const leftOver = createLeftOverCheck(chain, tools)
      await until(() => {
        leftOver.blockSeen({ after: Date.now() })
        leftOver.check()
        return looks > 1
      }, 'a second look, which comes after the first')
      await leftOver.stop()
      expect(sent).to.deep.equal(isUnwanted ? [] : ['0x1'])
    })
  }
})
