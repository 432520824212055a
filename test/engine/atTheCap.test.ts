import { expect } from 'chai'
import { type Hex, keccak256, toHex } from 'viem'
import type { Service } from '../../server/compose.js'
import { rpc } from '../../server/devnet/anvil.js'
import { bundleScene } from '../support/bundleScene.js'
import { useFaultyNode } from '../support/useFaultyNode.js'
import { lowerBaseFee } from '../support/passOver.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'
import { reader } from '../support/wallets.js'

describe('a bundle that no block takes, whose fees can’t be raised', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  const { a } = scene
  const node = useFaultyNode(() => a().rpcUrls[0]!)

  /** Three steps in a bundle that the node takes and nobody who builds blocks, under a cap that it begins at. */
  async function bundleAtTheCap(replaceAfterMs: number) {
    const users = await scene.users(3)
    const asked = await scene.ask(
      await Promise.all(
        users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(7n)]) })),
      ),
    )
    // The vault is called by bundles only here.
    const isBundle = (raw: string) => raw.includes(`94${a().vault.slice(2)}80`)
    node.behave({
      kind: 'answer',
      answer: ({ method, params }) =>
        method === 'eth_sendRawTransaction' && isBundle(String(params[0]))
          ? { result: keccak256(params[0] as Hex) }
          : null,
    })
    const { baseFeePerGas } = await reader(a()).getBlock()
    const cap = 2n * baseFeePerGas! + a().priorityFeePerGas
    const changed = scene.changedChains((chain, index) => {
      Object.assign(chain, { replaceAfterMs, maxFeePerGasCap: String(cap) })
      if (index === 0) chain.rpcUrls = [node.url]
    })
    return { asked, cap, changed }
  }

  const formsOf = (service: Service) =>
    service.database.knex('attempts').orderBy('created_at').select('is_cancel', 'created_at')

  /** Mines blocks, of so much base fee where one is given, until there is another form or the time is over. */
  async function mineUntilAnother(service: Service, { withinMs, baseFee }: { withinMs: number; baseFee?: bigint }) {
    for (const endsAt = Date.now() + withinMs; Date.now() < endsAt && (await formsOf(service)).length < 2;) {
      if (baseFee) await rpc(a().rpcUrls[0]!, 'anvil_setNextBlockBaseFeePerGas', [toHex(baseFee)])
      await scene.mine()
      await pause(250)
    }
    return formsOf(service)
  }

  it('is given up all the same after as long, and its steps go by themselves', async () => {
    const { asked, changed } = await bundleAtTheCap(1_000)
    await scene.withService(changed, async (service) => {
      const [first, second] = await mineUntilAnother(service, { withinMs: 20_000 })
      expect(Boolean(second.is_cancel)).to.equal(true)
      expect(second.created_at - first.created_at).to.be.greaterThan(3_000)
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status, attempts }) => [status, attempts])).to.deep.equal(Array(3).fill(['success', 1]))
    })
  })

  it('is not given up for the time for which it did not pay enough', async () => {
    const replaceAfterMs = 2_000
    const { asked, cap, changed } = await bundleAtTheCap(replaceAfterMs)
    await scene.withService(changed, async (service) => {
      await until(async () => (await formsOf(service)).length === 1, 'the bundle')
      expect(await mineUntilAnother(service, { withinMs: 4 * replaceAfterMs, baseFee: cap * 2n })).to.have.length(1)
      await lowerBaseFee(a().rpcUrls[0]!)
      await scene.mine()
      const fellAt = Date.now()
      const [, second] = await mineUntilAnother(service, { withinMs: 30_000 })
      expect(Boolean(second.is_cancel)).to.equal(true)
      expect(second.created_at - fellAt).to.be.greaterThan(3 * replaceAfterMs)
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status }) => status)).to.deep.equal(Array(3).fill('success'))
    })
  })
})
