import { expect } from 'chai'
import { rpc } from '../../server/devnet/anvil.js'
import { hasEnded } from '../../server/domain/status.js'
import { createSendWindow } from '../../server/engine/lanes/sendWindow.js'
import { bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'

describe('what of a lane the nodes have at once', () => {
  const signer = `0x${'51'.repeat(20)}` as const
  const at = (nonce: number, chainId = 1) => ({ chainId, signer, nonce })
  const nonces = (released: { nonce: number }[]) => released.map(({ nonce }) => nonce)

  /** The nonces from one up to another. */
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_none, index) => from + index)

  it('begins with the lowest that is not mined, and what is beyond is queued until others are', async () => {
    let open = range(7, 13)
    let reads = 0
    const window = createSendWindow(async (_chain, _signer, most) => ((reads += 1), open.slice(0, most)), 3)
    const rooms = []
    for (const nonce of [7, 8, 9, 10, 12, 11]) rooms.push(await window.admit(at(nonce)))
    expect(rooms).to.deep.equal([true, true, true, false, false, false])
    expect(reads, 'only when it seems full').to.equal(2)
    expect(nonces(await window.takeReleased(1))).to.deep.equal([])
    open = range(9, 13)
    expect(nonces(await window.takeReleased(2)), 'of another chain').to.deep.equal([])
    expect(nonces(await window.takeReleased(1))).to.deep.equal([10, 11])
    expect(await window.admit(at(12))).to.equal(false)
    expect([11, 12].map((nonce) => window.isQueued(at(nonce)))).to.deep.equal([false, true])
    open = []
    expect(nonces(await window.takeReleased(1)), 'all is mined').to.deep.equal([12])
    expect(nonces(await window.takeReleased(1)), 'once').to.deep.equal([])
  })

  it('lets those behind one that is never mined go on', async () => {
    let open = range(0, 9)
    const window = createSendWindow(async (_chain, _signer, most) => open.slice(0, most), 3)
    const rooms = []
    for (const nonce of open) rooms.push(await window.admit(at(nonce)))
    expect(rooms.filter(Boolean)).to.have.length(3)
    open = [0, ...range(3, 9)]
    expect(nonces(await window.takeReleased(1))).to.deep.equal([3, 4])
    open = [0, ...range(5, 9)]
    expect(nonces(await window.takeReleased(1))).to.deep.equal([5, 6])
  })

  it('tells those who ask together by what is read once, and queues none that was there before a release', async () => {
    const answers: ((nonces: number[]) => void)[] = []
    const window = createSendWindow(() => new Promise((answer) => answers.push(answer)), 2)
    const rooms = Promise.all([window.admit(at(9)), window.admit(at(10))])
    const released = window.takeReleased(1)
    expect(answers).to.have.length(1)
    answers[0]!([8, 9, 10])
    expect(await rooms).to.deep.equal([true, false])
    expect(nonces(await released)).to.deep.equal([])
  })

  describe('on a chain that makes no blocks', () => {
    const scene = bundleScene()
    afterEach(() => scene.automine(true))

    const oneLane = () => ({
      BUNDLE_MAX_STEPS: '1',
      SOLVER_PRIVATE_KEYS: scene.env().SOLVER_PRIVATE_KEYS!.split(',')[0]!,
    })
    const pooled = async () => {
      const { pending } = (await rpc(scene.a().rpcUrls[0]!, 'txpool_status', [])) as { pending: string }
      return Number(pending)
    }

    it('is bounded, and the rest follows once there are some, also from a process that is started anew', async () => {
      const users = await scene.users(70)
      const wanted = await Promise.all(
        users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(5n)]) })),
      )
      const asked = await scene.ask(wanted)
      await scene.automine(false)
      await scene.withService(oneLane(), async (service) => {
        await until(async () => (await scene.transactions(service)).length === 70, 'all to be signed')
        await until(async () => (await pooled()) >= 64, 'the first to be sent')
      })
      expect(await pooled()).to.equal(64)
      await scene.withService(oneLane(), async (service) => {
        await until(async () => {
          await scene.mine()
          return (await scene.views(service, asked)).every(({ status }) => hasEnded(status))
        }, 'all to be mined')
        const ends = await scene.ends(service, asked)
        expect(ends.map(({ status }) => status)).to.deep.equal(users.map(() => 'success'))
        const sent = (await scene.transactions(service)).map(({ steps }) => steps)
        expect(sent, 'none of them twice').to.deep.equal(users.map(() => 1))
      })
    }).timeout(90_000)

    it('is filled up as blocks come', async () => {
      const users = await scene.users(70)
      const wanted = await Promise.all(
        users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(5n)]) })),
      )
      const asked = await scene.ask(wanted)
      await scene.automine(false)
      await scene.withService(oneLane(), async (service) => {
        await until(async () => (await scene.transactions(service)).length === 70, 'all to be signed')
        await until(async () => (await pooled()) === 64, 'the first to be sent')
        await scene.mine()
        await until(async () => (await pooled()) === 6, 'the others to be sent')
        await scene.mine()
        const ends = await scene.ends(service, asked)
        expect(ends.map(({ status }) => status)).to.deep.equal(users.map(() => 'success'))
      })
    }).timeout(90_000)
  })
})
