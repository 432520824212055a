import { expect } from 'chai'
import { type Hex, keccak256, parseTransaction, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { rpc } from '../../server/devnet/anvil.js'
import { groupBy } from '../../server/lists/groupBy.js'
import { bundleScene } from '../support/bundleScene.js'
import { useFaultyNode } from '../support/useFaultyNode.js'
import { formsOf } from '../support/journalForms.js'
import { lowerBaseFee } from '../support/passOver.js'
import { keepDoing } from '../support/pause.js'
import { until } from '../support/until.js'

const gwei = 10n ** 9n

describe('transactions while fees rise and fall', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  const { a } = scene
  const key = () => scene.env().SOLVER_PRIVATE_KEYS!.split(',')[0]! as Hex
  const alone = (replaceAfterMs: number, rpcUrl = a().rpcUrls[0]!) => ({
    ...scene.changedChains((chain, index) => {
      Object.assign(chain, { replaceAfterMs })
      if (index === 0) chain.rpcUrls = [rpcUrl]
    }),
    BUNDLE_MAX_STEPS: '1',
    SOLVER_PRIVATE_KEYS: key(),
  })
  const ask = (method: string, ...params: unknown[]) => rpc(a().rpcUrls[0]!, method, params)

  async function askForSteps(count: number) {
    const users = await scene.users(count)
    const wanted = users.map(async (user) => ({ user, intent: await scene.intentOf(user, [scene.payVault(5n)]) }))
    return scene.ask(await Promise.all(wanted))
  }

  afterEach(async () => {
    await scene.automine(true)
    await ask('anvil_setBalance', privateKeyToAddress(key()), toHex(10n ** 21n))
    await lowerBaseFee(a().rpcUrls[0]!)
    await scene.mine()
  })

  it('are all raised that don’t pay the base fee, and don’t wait for each other', async () => {
    const asked = await askForSteps(8)
    await scene.automine(false)
    await scene.withService(alone(1_000), async (service) => {
      const byNonce = async () => [...groupBy(await formsOf(service), ({ nonce }) => nonce).values()]
      await until(async () => (await byNonce()).length === 8, 'all to be sent')
      const baseFee = 20n * gwei
      await ask('anvil_setNextBlockBaseFeePerGas', toHex(baseFee))
      await scene.mine()
      // No block comes meanwhile. On a busy machine the first may have been raised before, by less.
      const areRaised = async () =>
        (await byNonce()).every((forms) => forms.length > 1 && forms.at(-1)!.maxFee > baseFee)
      await until(areRaised, 'all to be raised')
      await ask('anvil_setNextBlockBaseFeePerGas', toHex(baseFee))
      await scene.mine()
      const ends = await scene.ends(service, asked)
      expect(ends.map(({ status }) => status)).to.deep.equal(Array(8).fill('success'))
      expect((await formsOf(service)).filter(({ isCancel }) => isCancel)).to.deep.equal([])
    })
  })

  describe('on a chain whose blocks ask for a higher tip than is set', () => {
    const node = useFaultyNode(() => a().rpcUrls[0]!)

    it('climb to it once, and the next ones begin there', async () => {
      // Each takes three seconds until it is looked at again.
      const asked = await askForSteps(3)
      const wanted = 3n * a().priorityFeePerGas
      node.behave({
        kind: 'answer',
        answer: ({ method, params }) => {
          if (method === 'eth_maxPriorityFeePerGas') return { result: toHex(wanted * 2n) }
          if (method !== 'eth_sendRawTransaction') return null
          const raw = params[0] as Hex
          const isTaken = (parseTransaction(raw).maxPriorityFeePerGas ?? 0n) >= wanted
          return isTaken ? null : { result: keccak256(raw) }
        },
      })
      await scene.withService(alone(1_000, node.url), async (service) => {
        await scene.automine(false)
        const blocks = keepDoing(scene.mine, () => 300)
        const ends = await scene.ends(service, asked).finally(() => blocks.stop())
        expect(ends.map(({ status }) => status)).to.deep.equal(Array(3).fill('success'))
        const forms = await formsOf(service)
        const [lowest] = forms
        const climbed = forms.filter(({ nonce }) => nonce === lowest!.nonce)
        expect(climbed.map(({ tip }) => tip >= wanted)).to.deep.equal([false, false, true])
        // Signed before anybody knew, each of the others is raised by one step to where the first was taken.
        for (let nonce = lowest!.nonce + 1; nonce < lowest!.nonce + 3; nonce++) {
          const ofIt = forms.filter((form) => form.nonce === nonce)
          expect(ofIt.map(({ tip }) => tip >= wanted)).to.deep.equal([false, true])
        }
      })
    })
  })

  it('go out with lower fees where their signer can’t pay for those of a spike that is over', async () => {
    const asked = await askForSteps(2)
    await scene.automine(false)
    await ask('anvil_setNextBlockBaseFeePerGas', toHex(150n * gwei))
    await scene.mine()
    // Enough for many of them at a gwei, and for none at 300.
    await ask('anvil_setBalance', privateKeyToAddress(key()), toHex(10n ** 16n))
    await scene.withService(alone(1_000), async (service) => {
      await until(async () => (await formsOf(service)).length >= 2, 'both to be signed')
      await ask('anvil_setNextBlockBaseFeePerGas', toHex(gwei))
      await scene.mine()
      const blocks = keepDoing(scene.mine, () => 500)
      const ends = await scene.ends(service, asked).finally(() => blocks.stop())
      expect(ends.map(({ status }) => status)).to.deep.equal(['success', 'success'])
      expect((await scene.transactions(service)).map(({ steps }) => steps)).to.deep.equal([1, 1])
    })
  })

  it('wait for a signer that can pay for nothing, with no form signed but the first', async () => {
    const asked = await askForSteps(1)
    await ask('anvil_setBalance', privateKeyToAddress(key()), '0x1')
    await scene.withService(alone(1_000), async (service) => {
      const refusals = async () => {
        const row = await service.database.knex('transactions').first('sent_at', 'signed_at')
        return row && Number(row.sent_at) - Number(row.signed_at) > 5_000
      }
      await until(refusals, 'it to be sent again')
      expect(await formsOf(service)).to.have.length(1)
      await ask('anvil_setBalance', privateKeyToAddress(key()), toHex(10n ** 20n))
      expect((await scene.ends(service, asked)).map(({ status }) => status)).to.deep.equal(['success'])
    })
  })
})
