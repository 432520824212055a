import { expect } from 'chai'
import type { JsonCall } from '../chain/faultyNode.js'
import { bundleScene } from '../support/bundleScene.js'
import { useFaultyNode } from '../support/useFaultyNode.js'
import { newUser } from '../support/wallets.js'

describe('a call that a node takes too long for', () => {
  const scene = bundleScene()
  const { a } = scene
  const node = useFaultyNode(() => a().rpcUrls[0]!)

  const behindNode = () =>
    scene.changedChains((chain, index) => {
      if (index === 0) chain.rpcUrls = [node.url]
    })

  it('keeps nobody from his end where it has reverted, its own step included', async () => {
    const { address: trap } = newUser()
    await scene.setCode(trap, '0x00')
    const [hostile, other] = await scene.users(2)
    const pay = async (user: typeof hostile, first: Parameters<typeof scene.intentOf>[1]) => ({
      user: user!,
      intent: await scene.intentOf(user!, [...first, scene.payVault(7n)]),
    })
    const asked = await scene.ask([await pay(hostile, [{ to: trap, value: 0n, data: '0x' }])])
    await scene.automine(false)
    await scene.withService({ BUNDLE_MAX_STEPS: '1', ...behindNode() }, async (service) => {
      await scene.sent(service)
      // By now it fails, and no node runs it again; what the contracts remember is told.
      await scene.setCode(trap, '0x5b5f56')
      const isRun = ({ method, params }: JsonCall) =>
        method === 'eth_simulateV1' || (params[0] as { from?: string } | undefined)?.from !== undefined
      const error = { code: -32000, message: 'execution aborted (timeout = 5s)' }
      node.behave({ kind: 'answer', answer: (call) => (isRun(call) ? { error } : null) })
      await scene.automine(true)
      await scene.mine()
      const [ended] = await scene.ends(service, asked)
      expect(ended).to.include({ status: 'reverted' })
      expect(ended!.error).to.deep.include({ code: 'execution_reverted', retryable: true })
      expect(ended!.error!.message).to.include('no node could tell why')
      node.behave({ kind: 'pass' })
      const [good] = await scene.ends(service, await scene.askOf(service, [await pay(other, [])]))
      expect(good).to.include({ status: 'success' })
    })
  })

  it('goes by itself where its bundle had too little gas for it', async () => {
    const { address: trap } = newUser()
    await scene.setCode(trap, '0x00')
    const users = await scene.users(2)
    const calls = [[{ to: trap, value: 0n, data: '0x' } as const], []]
    const wanted = users.map(async (user, index) => ({
      user,
      intent: await scene.intentOf(user, [scene.payVault(7n), ...calls[index]!]),
    }))
    const asked = await scene.ask(await Promise.all(wanted))
    await scene.automine(false)
    await scene.withService({ BUNDLE_MAX_STEPS: '20' }, async (service) => {
      await scene.sent(service)
      // Burns 20,000 rounds of 26 gas.
      await scene.setCode(trap, '0x62004e205b60019003806004575f5f5500')
      await scene.automine(true)
      await scene.mine()
      for (const ended of await scene.ends(service, asked)) expect(ended).to.include({ status: 'success', attempts: 1 })
    })
  })

  it('is carried out where only its estimate is not to be had', async () => {
    const [user] = await scene.users(1)
    await scene.ask([])
    await scene.withService(behindNode(), async (service) => {
      const isEstimate = ({ method }: JsonCall) => method === 'eth_estimateGas'
      node.behave((calls) => ({ kind: calls.some(isEstimate) ? 'silence' : 'pass' }))
      const intent = await scene.intentOf(user!, [scene.payVault(7n)])
      const [ended] = await scene.ends(service, await scene.askOf(service, [{ user: user!, intent }]))
      expect(ended).to.include({ status: 'success' })
    })
  })
})
