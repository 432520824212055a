import { expect } from 'chai'
import {
  type Abi,
  type Address,
  createWalletClient,
  encodeFunctionData,
  type Hash,
  type Hex,
  http,
  parseUnits,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import type { Service } from '../../server/compose.js'
import { rpc } from '../../server/devnet/anvil.js'
import { devAccount, devKey } from '../../server/devnet/accounts.js'
import { type FaultyNode, type JsonCall, startFaultyNode } from '../chain/faultyNode.js'
import { bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'
import { authorization, balanceOf, newUser, sendFrom } from '../support/wallets.js'

/** Its transaction is kept out of the nodes' pools until its nonce is used for nothing, or another has done it all. */
describe('a step whose transaction comes to nothing', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  const { a, b, usd } = scene
  const nodes: FaultyNode[] = []

  before(async () => {
    for (const chain of [a(), b()]) nodes.push(await startFaultyNode(chain.rpcUrls[0]!))
  })
  after(() => Promise.all(nodes.map((node) => node.stop())))
  afterEach(() => nodes.forEach((node) => node.behave({ kind: 'pass' })))

  const [ours, another] = [0, 1].map((index) => () => scene.env().SOLVER_PRIVATE_KEYS!.split(',')[index] as Hex)

  /**
   * Nodes take nothing that carries this user's authorization, as while he has transactions of his own in their pools.
   */
  async function keepOut(
    user: ReturnType<typeof newUser>,
    chain = a(),
    { others = [] as string[], replaceAfterMs = 3_000, confirmations = 1 } = {},
  ): Promise<Record<string, string>> {
    const { r } = await authorization(user, chain)
    const his = BigInt(r).toString(16)
    const error = { code: -32000, message: 'authority already reserved' }
    nodes[chain === a() ? 0 : 1]!.behave({
      kind: 'answer',
      answer: ({ method, params }) =>
        method === 'eth_sendRawTransaction' && String(params[0]).includes(his) ? { error } : null,
    })
    const behind = scene.changedChains((entry, index) => {
      Object.assign(entry, { replaceAfterMs, confirmations })
      entry.rpcUrls = [nodes[index]!.url, ...others]
    })
    return { ...behind, SOLVER_PRIVATE_KEYS: ours!() }
  }

  /** What the service has signed for the step and can't send. */
  const signed = (service: Service, chain = a()) =>
    until(async () => {
      const { knex } = service.database
      const row = await knex('transactions')
        .where({ chain_id: chain.chainId, status: 'open' })
        .first('to_address', 'data')
      return row as { to_address: Address; data: Hex } | undefined
    }, 'the transaction to be signed')

  /** Past the service, with the same authorization. */
  async function carryOut(
    user: ReturnType<typeof newUser>,
    by: Hex,
    { to, data }: { to: Address; data: Hex },
    chain = a(),
  ) {
    const allowed = await user.signAuthorization({
      contractAddress: chain.delegates[0]!,
      chainId: chain.chainId,
      nonce: 0,
    })
    const wallet = createWalletClient({ account: privateKeyToAccount(by), transport: http(chain.rpcUrls[0]) })
    return wallet.sendTransaction({ chain: null, to, data, gas: 1_000_000n, authorizationList: [allowed] })
  }

  async function cancels(service: Service): Promise<number> {
    const row = (await service.database.knex('attempts').where({ is_cancel: 1 }).count({ found: '*' }).first())!
    return Number(row.found)
  }

  it('counts as paid where the vault has paid it all the same, and gives no credit back for it', async () => {
    const [user, friend] = [newUser(), newUser().address]
    const wanted = [{ user, intent: await scene.acrossChains(user, friend) }]
    const before = await scene.unexplainedBefore()
    const asked = await scene.askOncePaid(wanted)
    await scene.withService(await keepOut(user, b()), async (service) => {
      const { to_address: to, data } = await signed(service, b())
      // As an older transaction of the step does that had been given up.
      const paidBy = await carryOut(user, another!(), { to, data }, b())
      const [step] = await scene.ends(service, asked, 1)
      expect(await cancels(service)).to.equal(1)
      expect(step).to.include({ status: 'success', transactionHash: paidBy })
      expect(await balanceOf(b(), usd(b()), friend)).to.equal(parseUnits('3', 18))
      expect(await scene.availableOf(service, user.address)).to.equal('0')
      expect(await scene.unexplained(service.database)).to.deep.equal(before)
    })
  })

  it('counts as paid where the vault has paid it all the same, though it is paused when that becomes final', async () => {
    const setPaused = (isPaused: boolean) =>
      sendFrom(b(), devAccount(0), {
        to: b().vault,
        data: encodeFunctionData({ abi: solverVaultAbi as Abi, functionName: 'setPaused', args: [isPaused] }),
      })
    const [user, friend] = [newUser(), newUser().address]
    const wanted = [{ user, intent: await scene.acrossChains(user, friend) }]
    const before = await scene.unexplainedBefore()
    const asked = await scene.askOncePaid(wanted)
    const env = await keepOut(user, b(), { replaceAfterMs: 600_000, confirmations: 3 })
    try {
      await scene.withService(env, async (service) => {
        const { to_address: to, data } = await signed(service, b())
        const paidBy = await carryOut(user, another!(), { to, data }, b())
        nodes[1]!.behave({ kind: 'pass' })
        const isMined = async () => {
          const row = await service.database.knex('transactions').where({ chain_id: b().chainId }).first('mined_block')
          return row.mined_block !== null
        }
        await until(isMined, 'ours to be mined, and to revert')
        await setPaused(true)
        await scene.mine(b())
        await scene.mine(b())
        const [step] = await scene.ends(service, asked, 1)
        expect(step).to.include({ status: 'success', transactionHash: paidBy })
        expect(await scene.availableOf(service, user.address)).to.equal('0')
        expect(await scene.unexplained(service.database)).to.deep.equal(before)
      })
    } finally {
      await setPaused(false)
    }
  })

  it('counts as done where somebody else has run its calls', async () => {
    const [user] = await scene.users(1)
    const intent = await scene.intentOf(user!, [scene.payVault(7n)])
    const asked = await scene.ask([{ user: user!, intent }])
    await scene.withService(await keepOut(user!), async (service) => {
      await signed(service)
      const key = devKey(8)
      const runBy = await carryOut(user!, key, { to: user!.address, data: scene.executionOf(intent) })
      const [step] = await scene.ends(service, asked)
      expect(await cancels(service)).to.equal(1)
      expect(step).to.include({ status: 'success', transactionHash: runBy })
      expect(await scene.availableOf(service, user!.address)).to.equal('7')
    })
  })

  it('has failed where nothing was done, and may be asked for again', async () => {
    const [user] = await scene.users(1)
    const asked = await scene.ask([{ user: user!, intent: await scene.intentOf(user!, [scene.payVault(7n)]) }])
    await scene.withService(await keepOut(user!), async (service) => {
      const [step] = await scene.ends(service, asked)
      expect(step.error).to.include({ code: 'transaction_cancelled', retryable: true })
      expect(await scene.availableOf(service, user!.address)).to.equal('0')
    })
  })

  /** One payment of a user who is kept out, on a chain that has these nodes besides: how it ends, and its forms. */
  async function keptOutAmong(others: string[]) {
    const [user] = await scene.users(1)
    const asked = await scene.ask([{ user: user!, intent: await scene.intentOf(user!, [scene.payVault(7n)]) }])
    return scene.withService(await keepOut(user!, a(), { others, replaceAfterMs: 1_000 }), async (service) => {
      await until(async () => (await cancels(service)) > 0, 'the cancel', 50_000)
      const [step] = await scene.ends(service, asked)
      const forms = await service.database.knex('attempts').orderBy('created_at').select('is_cancel')
      const nonces = await service.database.knex('transactions').select('nonce')
      return { step, forms: forms.map((form) => Boolean(form.is_cancel)), nonces }
    })
  }

  it('fails as soon as ever while another node is down, which cannot have taken it', async () => {
    const { step, forms, nonces } = await keptOutAmong(['http://127.0.0.1:1'])
    expect(step.error).to.include({ code: 'transaction_cancelled', retryable: true })
    expect(forms).to.deep.equal([false, true])
    expect(nonces).to.have.length(1)
  })

  it('fails after a few raised fees while another node fails at each of them, so that the lane goes on', async () => {
    const failing = await startFaultyNode(a().rpcUrls[0]!)
    try {
      const isSend = ({ method }: JsonCall) => method === 'eth_sendRawTransaction'
      failing.behave((calls) => (calls.some(isSend) ? { kind: 'status', status: 502 } : { kind: 'pass' }))
      const { step, forms, nonces } = await keptOutAmong([failing.url])
      expect(step.error).to.include({ code: 'transaction_cancelled', retryable: true })
      expect(forms).to.deep.equal([false, false, false, false, true])
      expect(nonces).to.have.length(1)
    } finally {
      await failing.stop()
    }
  })

  it('succeeds where a node that failed had taken a form of it, and that one is mined', async () => {
    const failing = await startFaultyNode(a().rpcUrls[0]!)
    const [user] = await scene.users(1)
    const asked = await scene.ask([{ user: user!, intent: await scene.intentOf(user!, [scene.payVault(7n)]) }])
    const before = await scene.unexplainedBefore()
    try {
      const isSend = ({ method }: JsonCall) => method === 'eth_sendRawTransaction'
      failing.behave((calls) => (calls.some(isSend) ? { kind: 'loseAnswer' } : { kind: 'pass' }))
      await scene.automine(false)
      const env = await keepOut(user!, a(), { others: [failing.url], replaceAfterMs: 1_000 })
      await scene.withService(env, async (service) => {
        const form = async (isCancel: number) => {
          const forms = service.database.knex('attempts').where({ is_cancel: isCancel })
          return (await forms.orderBy('created_at', 'desc').first('hash', 'raw')) as
            { hash: Hash; raw: Hex } | undefined
        }
        const cancel = await until(() => form(1), 'the cancel', 50_000)
        const last = (await form(0))!
        const ask = (method: string, ...params: string[]) => rpc(a().rpcUrls[0]!, method, params)
        await until(() => ask('eth_getTransactionByHash', cancel.hash), 'a node to have the cancel')
        await ask('anvil_dropTransaction', cancel.hash)
        await ask('eth_sendRawTransaction', last.raw)
        await ask('evm_mine')
        await scene.automine(true)
        const [step] = await scene.ends(service, asked)
        expect(step).to.include({ status: 'success', transactionHash: last.hash })
        expect(await service.database.knex('transactions').select('nonce')).to.have.length(1)
        expect(await scene.availableOf(service, user!.address)).to.equal('7')
        expect(await scene.unexplained(service.database)).to.deep.equal(before)
      })
    } finally {
      await scene.automine(true)
      await failing.stop()
    }
  })
})
