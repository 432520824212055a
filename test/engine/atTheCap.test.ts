import { expect } from 'chai'
import { type Hex, keccak256 } from 'viem'
import { type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'
import { bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'
import { reader } from '../support/wallets.js'

describe('a bundle that no block takes, whose fees can’t be raised', function () {
  this.timeout(60_000)
  const scene = bundleScene()
  const { a } = scene
  let node: FaultyNode

  before(async () => {
    node = await startFaultyNode(a().rpcUrls[0]!)
  })
  after(() => node.stop())

  it('is given up all the same after as long, and its steps go by themselves', async () => {
    const users = await scene.users(3)
    const asked = await scene.ask(
      await Promise.all(
        users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(7n)]) })),
      ),
    )
    // The vault is called by bundles only here; they are taken by the node, and by nobody who builds blocks.
    const isBundle = (raw: string) => raw.includes(`94${a().vault.slice(2)}80`)
    node.behave({
      kind: 'answer',
      answer: ({ method, params }) =>
        method === 'eth_sendRawTransaction' && isBundle(String(params[0]))
          ? { result: keccak256(params[0] as Hex) }
          : null,
    })
    const { baseFeePerGas } = await reader(a()).getBlock()
    const cap = String(2n * baseFeePerGas! + a().priorityFeePerGas)
    const changed = scene.changedChains((chain, index) => {
      Object.assign(chain, { replaceAfterMs: 1_000, maxFeePerGasCap: cap })
      if (index === 0) chain.rpcUrls = [node.url]
    })
    await scene.withService(changed, async (service) => {
      const forms = async () =>
        service.database.knex('attempts').orderBy('created_at').select('is_cancel', 'created_at')
      await until(
        async () => {
          await scene.mine()
          return (await forms()).length > 1
        },
        'another form',
        20_000,
        250,
      )
      const [first, second] = await forms()
      expect(Boolean(second.is_cancel)).to.equal(true)
      expect(second.created_at - first.created_at).to.be.greaterThan(3_000)
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status, attempts }) => [status, attempts])).to.deep.equal(Array(3).fill(['success', 1]))
    })
  })
})
