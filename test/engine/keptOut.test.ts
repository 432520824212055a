import { expect } from 'chai'
import { keccak256, type Hex } from 'viem'
import { type Asked, bundleScene } from '../support/bundleScene.js'
import { useFaultyNode } from '../support/useFaultyNode.js'
import { formsOf } from '../support/journalForms.js'
import { keepDoing } from '../support/pause.js'
import { until } from '../support/until.js'
import { authorization } from '../support/wallets.js'

/** With transactions of his own in the pools, as with others that blocks don't take, for as long as he likes. */
describe('a user who keeps his authorization out of blocks', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  const { a } = scene
  const node = useFaultyNode(() => a().rpcUrls[0]!)
  afterEach(() => scene.automine(true))

  /** Everything goes by one key, each step by itself. */
  const oneLane = (replaceAfterMs: number) => ({
    ...scene.changedChains((chain, index) => {
      chain.replaceAfterMs = replaceAfterMs
      if (index === 0) chain.rpcUrls = [node.url]
    }),
    BUNDLE_MAX_STEPS: '1',
    SOLVER_PRIVATE_KEYS: scene.env().SOLVER_PRIVATE_KEYS!.split(',')[0]!,
  })
  const wantedOf = (users: Asked['user'][]) =>
    Promise.all(users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(7n)]) })))

  /** What the node says to each transaction with the user's authorization. */
  async function answerHis(user: Asked['user'], answer: (raw: Hex) => Record<string, unknown>) {
    const { r } = await authorization(user, a())
    const his = BigInt(r).toString(16)
    const isHis = (raw: unknown): raw is Hex => String(raw).includes(his)
    node.behave({
      kind: 'answer',
      answer: ({ method, params }) =>
        method === 'eth_sendRawTransaction' && isHis(params[0]) ? answer(params[0]) : null,
    })
  }

  it('waits alone, until something of its lane waits for him', async () => {
    const [hostile, other] = (await scene.users(2)) as [Asked['user'], Asked['user']]
    const asked = await scene.ask(await wantedOf([hostile]))
    await answerHis(hostile, () => ({ error: { code: -32000, message: 'authority already reserved' } }))
    await scene.withService(oneLane(60_000), async (service) => {
      const outcomes = () => service.database.knex('transactions').pluck('send_outcome')
      await until(async () => (await outcomes())[0] === 'authorityBusy', 'his transaction to be refused')
      expect((await formsOf(service)).filter(({ isCancel }) => isCancel)).to.deep.equal([])
      const startedAt = Date.now()
      const [done] = await scene.ends(service, await scene.askOf(service, await wantedOf([other])))
      expect(done.status).to.equal('success')
      expect(Date.now() - startedAt).to.be.below(15_000)
      const [his] = await scene.ends(service, asked)
      expect(his.error).to.include({ code: 'transaction_cancelled', retryable: true })
    })
  })

  it('is given up where nodes take it and those who build blocks don’t, and raises no other’s fees', async () => {
    const [hostile, ...others] = await scene.users(3)
    const asked = await scene.ask(await wantedOf([hostile!]))
    await answerHis(hostile!, (raw) => ({ result: keccak256(raw) }))
    await scene.automine(false)
    await scene.withService(oneLane(1_000), async (service) => {
      await until(async () => (await formsOf(service)).length > 0, 'his transaction to be signed')
      const waiting = await scene.askOf(service, await wantedOf(others))
      const blocks = keepDoing(scene.mine, () => 300)
      const [his] = await scene.ends(service, asked, 0, 40_000)
      expect(his.error).to.include({ code: 'transaction_cancelled', retryable: true })
      const ends = await scene.ends(service, waiting)
      expect(ends.map(({ status }) => status)).to.deep.equal(['success', 'success'])
      const [{ status: later }] = await scene.ends(
        service,
        await scene.askOf(service, await wantedOf(await scene.users(1))),
      )
      await blocks.stop()
      expect(later).to.equal('success')
      const all = await formsOf(service)
      const first = all.filter(({ nonce }) => nonce === all[0]!.nonce)
      const cancels = first.map(({ isCancel }) => isCancel)
      expect(cancels.indexOf(true)).to.be.within(2, 6)
      expect(cancels.lastIndexOf(false)).to.equal(cancels.indexOf(true) - 1)
      expect(all.at(-1)!.tip).to.equal(a().priorityFeePerGas)
    })
  })
})
