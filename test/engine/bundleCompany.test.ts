import { expect } from 'chai'
import { type Address, type Hex, keccak256 } from 'viem'
import type { Service } from '../../server/compose.js'
import { rpc } from '../../server/devnet/anvil.js'
import type { JsonCall } from '../chain/faultyNode.js'
import { type Asked, bundleScene } from '../support/bundleScene.js'
import { useFaultyNode } from '../support/useFaultyNode.js'
import { until } from '../support/until.js'
import { authorization, balanceOf, newUser, reader, signedIntent } from '../support/wallets.js'

const burning = '0x5b5f56'
const reverting = '0x5f5ffd'

/** What can become of a bundle between its signature and its end, for all of its steps. */
describe('a bundle on its way', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  const { a, usd } = scene
  const node = useFaultyNode(() => a().rpcUrls[0]!)

  const payments = (users: Asked['user'][], ...more: { to: Address; value: bigint; data: Hex }[]) =>
    Promise.all(
      users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(7n), ...more]) })),
    )

  const behindNode = (replaceAfterMs = 2_000, more: { maxFeePerGasCap?: string } = {}) =>
    scene.changedChains((chain, index) => {
      Object.assign(chain, { replaceAfterMs, ...more })
      if (index === 0) chain.rpcUrls = [node.url]
    })

  const refuse = (isRefused: (call: JsonCall) => boolean, message: string) =>
    node.behave({ kind: 'answer', answer: (call) => (isRefused(call) ? { error: { code: -32000, message } } : null) })

  /** Whether this signed transaction calls the vault, as bundles only do here. */
  const callsVault = (raw: unknown) => String(raw).includes(`94${a().vault.slice(2)}80`)

  const statuses = async (service: Service, asked: Asked[], stepIndex = 0) =>
    (await scene.views(service, asked, stepIndex)).map(({ status }) => status as string)

  const paidBy = (service: Service, users: Asked['user'][]) =>
    Promise.all(users.map(({ address }) => scene.availableOf(service, address)))

  const attempts = async (service: Service) => {
    const { knex } = service.database
    const rows = await knex('attempts').orderBy('transaction_id').orderBy('created_at')
    return rows as { transaction_id: number; is_cancel: number; created_at: number }[]
  }

  it('is given up when nodes don’t take one user’s authorization, and keeps nobody else waiting', async () => {
    const users = await scene.users(4)
    const hostile = users[1]!
    const asked = await scene.ask(await payments(users))
    // As nodes do while he has transactions of his own in their pools, which he may have for as long as he likes.
    const { r } = await authorization(hostile, a())
    const his = BigInt(r).toString(16)
    refuse(
      ({ method, params }) => method === 'eth_sendRawTransaction' && String(params[0]).includes(his),
      'authority already reserved',
    )
    const replaceAfterMs = 5_000
    await scene.withService(behindNode(replaceAfterMs), async (service) => {
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status }) => status)).to.deep.equal(['success', 'error', 'success', 'success'])
      expect(steps[1].error).to.include({ code: 'transaction_cancelled', retryable: true })
      expect(await paidBy(service, users)).to.deep.equal(['7', '0', '7', '7'])
      // The bundle is cancelled at once, and his own transaction once it counts as stuck.
      const forms = await attempts(service)
      const signedAt = (id: number) => forms.find((form) => form.transaction_id === id)!.created_at
      const cancels = forms.filter(({ is_cancel }) => is_cancel)
      const delays = cancels.map((form) => form.created_at - signedAt(form.transaction_id))
      expect(delays).to.have.length(2)
      expect(delays[0]).to.be.below(replaceAfterMs)
      expect(delays[1]).to.be.at.least(replaceAfterMs)
      expect(await scene.transactions(service)).to.have.length(5)
      node.behave({ kind: 'pass' })
      const again = await scene.again(service, asked[1]!)
      expect(again.status).to.equal('success')
      expect(await balanceOf(a(), usd(), hostile.address)).to.equal(93n)
    })
  })

  it('ends for all others when no node will run again what failed in it', async () => {
    const users = await scene.users(3)
    const { address: trap } = newUser()
    await scene.setCode(trap, '0x00')
    const hostile = users[1]!
    const wanted = await payments(users)
    wanted[1]!.intent = await scene.intentOf(hostile, [{ to: trap, value: 0n, data: '0x' }, scene.payVault(7n)])
    const asked = await scene.ask(wanted)
    await scene.automine(false)
    await scene.withService(behindNode(60_000), async (service) => {
      await scene.sent(service)
      await scene.setCode(trap, burning)
      const isRun = ({ method }: JsonCall) => /^eth_(simulateV1|call|estimateGas)$/.test(method)
      refuse(
        (call) => isRun(call) && JSON.stringify(call.params).includes(hostile.address.toLowerCase()),
        'execution aborted (timeout = 5s)',
      )
      await scene.automine(true)
      await scene.mine()
      const others = [asked[0]!, asked[2]!]
      await until(
        async () => (await statuses(service, others)).every((status) => status === 'success'),
        'the others to be done',
      )
      node.behave({ kind: 'pass' })
      const [failed] = await scene.ends(service, [asked[1]!])
      expect(failed).to.include({ status: 'reverted' })
      expect(await paidBy(service, users)).to.deep.equal(['7', '0', '7'])
    })
  })

  it('is followed by none for a while when it failed as a whole, as the next one would', async () => {
    const users = await scene.users(12)
    const wanted = await payments(users)
    const asked = await scene.ask(wanted.slice(0, 3))
    const vault = await scene.codeOf(a().vault)
    await scene.setCode(a().vault, reverting)
    await scene.withService({}, async (service) => {
      const toVault = async () => (await scene.transactions(service)).filter(({ to }) => to === a().vault)
      const first = await scene.ends(service, asked)
      expect(await toVault()).to.have.length(1)
      const later = await scene.askOf(service, wanted.slice(3))
      const steps = [...first, ...(await scene.ends(service, later))]
      await scene.setCode(a().vault, vault)
      expect(steps.map(({ status }) => status)).to.deep.equal(Array(12).fill('success'))
      expect(await toVault()).to.have.length(1)
    })
  })

  it('is sent again with higher fees at the same nonce while it is too cheap, and takes effect once for each', async () => {
    const users = await scene.users(3)
    const asked = await scene.ask(await payments(users))
    await scene.automine(false)
    await scene.withService(behindNode(3_000), async (service) => {
      const first = await scene.sent(service)
      await rpc(a().rpcUrls[0]!, 'anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
      await scene.mine()
      await until(async () => (await scene.sent(service)).hash !== first.hash, 'a replacement')
      const shown = async () => new Set((await scene.views(service, asked)).map((view) => view.transactionHash))
      await until(async () => !(await shown()).has(first.hash), 'all steps to show it')
      expect((await shown()).size).to.equal(1)
      await scene.automine(true)
      await scene.mine()
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status }) => status)).to.deep.equal(Array(3).fill('success'))
      expect(await scene.transactions(service)).to.deep.equal([{ to: a().vault, steps: 3, authorizations: 3 }])
      expect(await paidBy(service, users)).to.deep.equal(['7', '7', '7'])
    })
  })

  it('that is in no block however often its fees are raised is given up, and its steps go by themselves', async () => {
    const users = await scene.users(3)
    const asked = await scene.ask(await payments(users))
    // The node takes it, and nobody who builds blocks.
    node.behave({
      kind: 'answer',
      answer: ({ method, params }) =>
        method === 'eth_sendRawTransaction' && callsVault(params[0]) ? { result: keccak256(params[0] as Hex) } : null,
    })
    await scene.automine(false)
    await scene.withService(behindNode(1_000), async (service) => {
      const cancel = async () => (await attempts(service)).findIndex(({ is_cancel }) => is_cancel)
      const isGivenUp = async () => {
        await scene.mine()
        return (await cancel()) >= 0
      }
      await until(isGivenUp, 'the bundle to be given up', 40_000, 200)
      expect(await cancel(), 'the first form and three with higher fees').to.equal(4)
      expect(await scene.transactions(service)).to.have.length(1)
      await scene.automine(true)
      await scene.mine()
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status, attempts }) => [status, attempts])).to.deep.equal(Array(3).fill(['success', 1]))
      expect(await paidBy(service, users)).to.deep.equal(['7', '7', '7'])
    })
  })

  for (const isAtCap of [false, true]) {
    it(`that can never be mined is given up, and its steps go by themselves${isAtCap ? ', though no higher fees may be signed' : ''}`, async () => {
      const users = await scene.users(3)
      const asked = await scene.ask(await payments(users))
      refuse(
        ({ method, params }) => method === 'eth_sendRawTransaction' && callsVault(params[0]),
        'oversized data: transaction size 140000, limit 131072',
      )
      const { baseFeePerGas } = await reader(a()).getBlock()
      const wanted = String(2n * baseFeePerGas! + a().priorityFeePerGas)
      const changed = behindNode(2_000, isAtCap ? { maxFeePerGasCap: wanted } : {})
      await scene.withService(changed, async (service) => {
        const steps = await scene.ends(service, asked)
        expect(steps.map(({ status, attempts }) => [status, attempts])).to.deep.equal(Array(3).fill(['success', 1]))
        expect((await attempts(service)).map(({ is_cancel }) => Boolean(is_cancel))).to.deep.equal([
          ...[false, true],
          ...[false, false, false],
        ])
        expect(await paidBy(service, users)).to.deep.equal(['7', '7', '7'])
      })
    })
  }

  it('holds only steps that become final together', async () => {
    const amounts = [7n, 90n, 7n, 7n]
    const users = await scene.users(amounts.length)
    const wanted = await Promise.all(
      users.map(async (user, index) => {
        const [amount, from, to] = [amounts[index]!, user.address, a().vault]
        const tokenTransfers = [{ from, to, token: usd(), amount }]
        const batch = { chainId: a().chainId, tokenTransfers, calls: [scene.payVault(amount)] }
        return { user, intent: await signedIntent(user, [batch]) }
      }),
    )
    // The small ones move more than that together.
    const confirmations = [{ amount: '20', confirmations: 4 }]
    const slow = scene.changedChains(({ tokens }) => tokens.forEach((token) => Object.assign(token, { confirmations })))
    const asked = await scene.ask(wanted, slow)
    await scene.withService(slow, async (service) => {
      const small = [asked[0]!, asked[2]!, asked[3]!]
      const ended = await scene.ends(service, small)
      expect(ended.map(({ status }) => status)).to.deep.equal(['success', 'success', 'success'])
      expect(await statuses(service, [asked[1]!])).to.deep.equal(['executing'])
      expect((await scene.transactions(service)).map(({ steps }) => steps)).to.have.members([3, 1])
      for (let block = 0; block < 3; block++) await scene.mine()
      const [large] = await scene.ends(service, [asked[1]!])
      expect(large.status).to.equal('success')
    })
  })

  it('is final as soon as each of its steps would be by itself', async () => {
    const users = await scene.users(4)
    const asked = await scene.ask(await payments(users))
    // More than each pays, and less than all of them together.
    const confirmations = [{ amount: '20', confirmations: 4 }]
    const slow = scene.changedChains(({ tokens }) => tokens.forEach((token) => Object.assign(token, { confirmations })))
    await scene.withService(slow, async (service) => {
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status }) => status)).to.deep.equal(Array(4).fill('success'))
      expect(await scene.transactions(service)).to.deep.equal([{ to: a().vault, steps: 4, authorizations: 4 }])
    })
  })
})
