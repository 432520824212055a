import { expect } from 'chai'
import { rpc } from '../../server/devnet/anvil.js'
import { isSettled } from '../../server/domain/status.js'
import { createSendWindow } from '../../server/engine/sendWindow.js'
import { bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'

describe('what of a lane the nodes have at once', () => {
  const signer = `0x${'51'.repeat(20)}` as const
  const at = (nonce: number, chainId = 1) => ({ chainId, signer, nonce })
  const nonces = (released: { nonce: number }[]) => released.map(({ nonce }) => nonce)

  it('begins with the lowest that is not mined, and what is beyond is held until others are', async () => {
    let lowest: number | null = 7
    let reads = 0
    const window = createSendWindow(async () => ((reads += 1), lowest), 3)
    const rooms = []
    for (const nonce of [7, 8, 9, 10, 12, 11]) rooms.push(await window.hasRoom(at(nonce)))
    expect(rooms).to.deep.equal([true, true, true, false, false, false])
    expect(reads, 'only when it seems full').to.equal(2)
    expect(nonces(await window.released(1))).to.deep.equal([])
    lowest = 9
    expect(nonces(await window.released(2)), 'of another chain').to.deep.equal([])
    expect(nonces(await window.released(1))).to.deep.equal([10, 11])
    expect(await window.hasRoom(at(12))).to.equal(false)
    lowest = null
    expect(nonces(await window.released(1)), 'all is mined').to.deep.equal([12])
    expect(nonces(await window.released(1)), 'once').to.deep.equal([])
  })

  it('is read anew when a lane has got on, and is no matter of other lanes', async () => {
    const lowest = new Map([
      [1, 0],
      [2, 0],
    ])
    const window = createSendWindow(async (chainId) => lowest.get(chainId)!, 2)
    expect(await window.hasRoom(at(5))).to.equal(false)
    expect(await window.hasRoom(at(1, 2))).to.equal(true)
    lowest.set(1, 4)
    expect(nonces(await window.released(1))).to.deep.equal([5])
    lowest.set(1, 100)
    expect(await window.hasRoom(at(101))).to.equal(true)
    expect(await window.hasRoom(at(102))).to.equal(false)
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
          return (await scene.views(service, asked)).every(({ status }) => isSettled(status))
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
