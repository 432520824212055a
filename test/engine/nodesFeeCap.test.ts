import { expect } from 'chai'
import { type Hex, keccak256, parseTransaction, toHex } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'
import { type Asked, bundleScene } from '../support/bundleScene.js'
import { formsOf } from '../support/journalForms.js'
import { lowerBaseFee } from '../support/passOver.js'
import { keepDoing } from '../support/pause.js'
import { until } from '../support/until.js'
import { useFaultyNode } from '../support/useFaultyNode.js'
import { authorization } from '../support/wallets.js'

const gwei = 10n ** 9n

/** As geth and reth do where a transaction may cost more than one ether, unless they are told another cap. */
describe('a transaction above a node’s own fee cap', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  const { a } = scene
  const node = useFaultyNode(() => a().rpcUrls[0]!)
  const other = useFaultyNode(() => a().rpcUrls[0]!)
  const sent: { fee: bigint; isTaken: boolean }[] = []
  /** In wei. Null: less than what the first one may cost. */
  let cap: bigint | null = 0n

  beforeEach(() => {
    sent.length = 0
    refuse(() => true)
  })
  afterEach(async () => {
    await scene.automine(true)
    await lowerBaseFee(a().rpcUrls[0]!)
    await scene.mine()
  })

  /**
   * Has the node refuse those of these transactions that may cost more than the cap, and keep the others from blocks.
   */
  function refuse(which: (raw: string) => boolean, { isLeftAside = false } = {}): void {
    node.behave({
      kind: 'answer',
      answer({ method, params }) {
        if (method !== 'eth_sendRawTransaction') return null
        const raw = params[0] as Hex
        const { gas = 0n, maxFeePerGas: fee = 0n } = parseTransaction(raw)
        cap ??= gas * fee - 1n
        const isTaken = gas * fee <= cap || !which(raw)
        sent.push({ fee, isTaken })
        if (isTaken) return isLeftAside && which(raw) ? { result: keccak256(raw) } : null
        return { error: { code: -32000, message: 'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)' } }
      },
    })
  }

  const oneLane = (replaceAfterMs: number, more: Record<string, string> = { BUNDLE_MAX_STEPS: '1' }) => ({
    ...scene.changedChains((chain, index) => {
      chain.replaceAfterMs = replaceAfterMs
      if (index === 0) chain.rpcUrls = [node.url]
    }),
    SOLVER_PRIVATE_KEYS: scene.env().SOLVER_PRIVATE_KEYS!.split(',')[0]!,
    ...more,
  })
  const wantedOf = (users: Asked['user'][]) =>
    Promise.all(users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(7n)]) })))
  const hisOf = async (user: Asked['user']) => {
    const { r } = await authorization(user, a())
    const his = BigInt(r).toString(16)
    return (raw: string) => raw.includes(his)
  }
  const mineAt = async (baseFee: bigint) => {
    await rpc(a().rpcUrls[0]!, 'anvil_setNextBlockBaseFeePerGas', [toHex(baseFee)])
    await scene.mine()
  }
  const refusals = () => sent.filter(({ isTaken }) => !isTaken)

  it('is never signed dearer, and is given up once something of its lane waits for it', async () => {
    const [dear, other] = (await scene.users(2)) as [Asked['user'], Asked['user']]
    const asked = await scene.ask(await wantedOf([dear]))
    refuse(await hisOf(dear))
    cap = 1n
    await scene.withService(oneLane(1_000), async (service) => {
      await until(() => refusals().length > 2, 'it to be refused and sent again', 20_000)
      expect(await formsOf(service)).to.have.length(1)
      const [done] = await scene.ends(service, await scene.askOf(service, await wantedOf([other])))
      expect(done.status).to.equal('success')
      const [ended] = await scene.ends(service, asked)
      expect(ended.error).to.include({ code: 'transaction_cancelled', retryable: true })
      const forms = await formsOf(service)
      const ofIt = forms.filter(({ nonce }) => nonce === forms[0]!.nonce)
      expect(ofIt.map(({ isCancel }) => isCancel)).to.deep.equal([false, true])
    })
  })

  it('is given up after a while for those who wait where another node does not say whether it has it', async () => {
    const [dear, next] = (await scene.users(2)) as [Asked['user'], Asked['user']]
    refuse(() => false)
    const twoNodes = () =>
      scene.changedChains((chain, index) => {
        chain.replaceAfterMs = 1_000
        if (index === 0) chain.rpcUrls = [node.url, other.url]
      })
    // Nobody's authorization is in it, for which it would be given up in any case.
    const asked = await scene.ask(await wantedOf([dear]))
    await scene.withService({ ...oneLane(1_000), ...twoNodes() }, async (service) => {
      expect((await scene.ends(service, asked))[0].status).to.equal('success')
      refuse((raw) => raw.includes(dear.address.slice(2).toLowerCase()))
      cap = 1n
      other.behave({
        kind: 'answer',
        answer: ({ method }) =>
          method === 'eth_sendRawTransaction' ? { error: { code: -32603, message: 'internal error' } } : null,
      })
      // Not the same as before, as which it would be refused if both were signed in one second.
      const again = { user: dear, intent: await scene.intentOf(dear, [scene.payVault(8n)]) }
      const refused = await scene.askOf(service, [again])
      await until(() => refusals().length > 0, 'it to be refused')
      const blocks = keepDoing(scene.mine, () => 300)
      const waiting = await scene.askOf(service, await wantedOf([next]))
      const [done] = await scene.ends(service, waiting, 0, 40_000).finally(() => blocks.stop())
      expect(done.status).to.equal('success')
      const [ended] = await scene.ends(service, refused)
      expect(ended.error).to.include({ code: 'transaction_cancelled', retryable: true })
    })
  })

  it('is given up after long where nothing waits for it', async () => {
    const [dear] = (await scene.users(1)) as [Asked['user']]
    const asked = await scene.ask(await wantedOf([dear]))
    refuse(await hisOf(dear))
    cap = 1n
    const replaceAfterMs = 1_000
    await scene.withService(oneLane(replaceAfterMs), async (service) => {
      await until(() => refusals().length > 0, 'it to be refused')
      const startedAt = Date.now()
      const blocks = keepDoing(scene.mine, () => 300)
      const [ended] = await scene.ends(service, asked).finally(() => blocks.stop())
      expect(ended.error).to.include({ code: 'transaction_cancelled', retryable: true })
      expect(Date.now() - startedAt).to.be.above(9 * replaceAfterMs)
      expect((await formsOf(service)).map(({ isCancel }) => isCancel)).to.deep.equal([false, true])
    })
  })

  it('goes out with lower fees once the base fee has fallen', async () => {
    const asked = await scene.ask(await wantedOf(await scene.users(1)))
    await scene.automine(false)
    await mineAt(150n * gwei)
    cap = 10n ** 16n
    await scene.withService(oneLane(1_000), async (service) => {
      await until(() => refusals().length > 0, 'it to be refused')
      await mineAt(gwei)
      const blocks = keepDoing(scene.mine, () => 500)
      const [ended] = await scene.ends(service, asked).finally(() => blocks.stop())
      expect(ended).to.include({ status: 'success', attempts: 1 })
      expect(new Set(refusals().map(({ fee }) => fee)).size).to.equal(1)
      expect((await formsOf(service)).map(({ isCancel }) => isCancel)).to.deep.equal([false, false])
    })
  })

  it('is raised no further where nodes have it with lower fees, and blocks leave it aside', async () => {
    const [his] = (await scene.users(1)) as [Asked['user']]
    const asked = await scene.ask(await wantedOf([his]))
    refuse(await hisOf(his), { isLeftAside: true })
    cap = 10n ** 16n
    await scene.automine(false)
    await mineAt(gwei)
    await scene.withService(oneLane(1_000), async (service) => {
      await until(() => sent.length > 0, 'it to be sent')
      await mineAt(150n * gwei)
      await until(() => refusals().length > 0, 'it to be raised and refused')
      await mineAt(gwei)
      const cheap = () => sent.filter(({ isTaken }) => isTaken).length
      const before = cheap()
      await until(() => cheap() > before + 1, 'it to be sent again as it was', 20_000)
      expect(await formsOf(service)).to.have.length(2)
      const blocks = keepDoing(scene.mine, () => 300)
      const [ended] = await scene.ends(service, asked, 0, 40_000).finally(() => blocks.stop())
      expect(ended.error).to.include({ code: 'transaction_cancelled', retryable: true })
      expect((await formsOf(service)).map(({ isCancel }) => isCancel)).to.deep.equal([false, false, true])
    })
  })

  it('has the steps of its bundle go by themselves', async () => {
    const asked = await scene.ask(await wantedOf(await scene.users(3)))
    await mineAt(gwei)
    // A bundle of three takes more than twice of what one step does.
    cap = 250_000n * 2n * gwei
    await scene.withService(oneLane(60_000, { BUNDLE_MAX_STEPS: '20' }), async (service) => {
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status, attempts }) => [status, attempts])).to.deep.equal(Array(3).fill(['success', 1]))
      expect(refusals().length).to.be.above(0)
      const forms = await formsOf(service)
      expect(forms.slice(0, 2).map(({ isCancel }) => isCancel)).to.deep.equal([false, true])
    })
  })

  it('has the bundles after it cost no more than half of what was refused', async () => {
    const [six, more] = await Promise.all([6, 6].map(async (count) => wantedOf(await scene.users(count))))
    const asked = await scene.ask(six!)
    await mineAt(gwei)
    cap = null
    await scene.withService(oneLane(60_000, { BUNDLE_MAX_STEPS: '20' }), async (service) => {
      await scene.ends(service, asked)
      const known = await formsOf(service)
      expect(refusals()).to.have.length(1)
      const ends = await scene.ends(service, await scene.askOf(service, more!))
      expect(ends.map(({ status }) => status)).to.deep.equal(Array(6).fill('success'))
      expect(refusals()).to.have.length(1)
      const forms = (await formsOf(service)).slice(known.length)
      expect(forms.some(({ isCancel }) => isCancel)).to.equal(false)
      expect(forms.length).to.be.within(2, 5)
    })
  })
})
