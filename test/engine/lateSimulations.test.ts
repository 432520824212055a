import { expect } from 'chai'
import type { JsonCall } from '../chain/faultyNode.js'
import { type Asked, bundleScene } from '../support/bundleScene.js'
import { useFaultyNode } from '../support/useFaultyNode.js'
import { until } from '../support/until.js'

describe('a step that nodes do not get to the end of simulating', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  const { a } = scene
  const node = useFaultyNode(() => a().rpcUrls[0]!)

  const wantedOf = (users: Asked['user'][]) =>
    Promise.all(users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(7n)]) })))

  const behindNode = () =>
    scene.changedChains((chain, index) => {
      if (index === 0) chain.rpcUrls = [node.url]
    })

  it('ends after a few tries, which keep nobody else waiting, and may be asked for again', async () => {
    const users = await scene.users(5)
    const slow = users[2]!
    const asked = await scene.ask(await wantedOf(users))
    const tries: number[] = []
    const isHis = ({ method, params }: JsonCall) =>
      /^eth_(simulateV1|call|estimateGas)$/.test(method) &&
      JSON.stringify(params).includes(slow.address.toLowerCase().slice(2))
    node.behave({
      kind: 'answer',
      answer: (call) => {
        if (!isHis(call)) return null
        if (call.method === 'eth_simulateV1') tries.push(Date.now())
        return { error: { code: -32000, message: 'execution aborted (timeout = 5s)' } }
      },
    })
    await scene.withService(behindNode(), async (service) => {
      const others = asked.filter(({ user }) => user !== slow)
      const startedAt = Date.now()
      const done = await scene.ends(service, others)
      expect(done.map(({ status }) => status)).to.deep.equal(Array(4).fill('success'))
      const takenMs = Date.now() - startedAt
      // As long as there are others, whom it would keep waiting.
      const given = await until(
        async () => {
          const more = await scene.askOf(service, await wantedOf(await scene.users(1)))
          expect((await scene.ends(service, more))[0].status).to.equal('success')
          const [view] = await scene.views(service, [asked[2]!])
          return view.status !== 'executing' && view
        },
        'it to be given up',
        60_000,
      )
      expect(given).to.deep.include({ status: 'error', transactionHash: null })
      expect(given.error).to.deep.include({ code: 'gas_limit_exceeded', retryable: true })
      expect(given.error.message).to.include('did not get to the end of the step’s simulation in time')
      // Each by itself, ever later; the others were done long before.
      expect(tries.length).to.be.within(5, 60)
      expect(takenMs).to.be.lessThan(tries.at(-1)! - startedAt)
      node.behave({ kind: 'pass' })
      expect((await scene.again(service, asked[2]!)).status).to.equal('success')
    })
  })

  for (const [what, isMeant] of [
    ['does not answer at all', () => true],
    ['answers all but simulations', (method: string) => /^eth_(simulateV1|call|estimateGas)$/.test(method)],
  ] as const) {
    it(`waits like all others where the chain ${what}`, async () => {
      const asked = await scene.ask(await wantedOf(await scene.users(3)))
      const tried = new Map(asked.map(({ user }) => [user.address.toLowerCase().slice(2), 0]))
      const note = (user: string, params: unknown) =>
        JSON.stringify(params).includes(user) && tried.set(user, tried.get(user)! + 1)
      await scene.withService(behindNode(), async (service) => {
        node.behave({
          kind: 'answer',
          answer: ({ method, params }) => {
            if (!isMeant(method)) return null
            if (method === 'eth_simulateV1') for (const user of tried.keys()) note(user, params)
            return { error: { code: -32000, message: 'request timed out' } }
          },
        })
        const [before] = await scene.views(service, asked)
        expect(before.status).to.equal('executing')
        // After five tries, each of which asks twice, a step is given up whose delay is its own doing.
        await until(() => [...tried.values()].every((tries) => tries > 10), 'more tries of all', 60_000)
        expect((await scene.views(service, asked)).map(({ status }) => status)).to.deep.equal(
          Array(3).fill('executing'),
        )
        node.behave({ kind: 'pass' })
        expect((await scene.ends(service, asked)).map(({ status }) => status)).to.deep.equal(Array(3).fill('success'))
      })
    })
  }
})
