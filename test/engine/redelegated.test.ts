import { expect } from 'chai'
import { createWalletClient, encodeErrorResult, type Hex, http, parseAbi, zeroAddress, zeroHash } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'
import { bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'
import { fund, newUser, reader } from '../support/wallets.js'

/** Reverts with these words, whatever it is asked. */
function revertsWith(words: Hex): Hex {
  const size = ((words.length - 2) / 2).toString(16).padStart(2, '0')
  const start = `60${size}600a5f3960${size}5ffd`
  return `0x${start}${words.slice(2)}`
}

const duplicate = encodeErrorResult({
  abi: parseAbi(['error DuplicateChainBatch(bytes a, bytes32 b, bytes32 c)']),
  args: ['0x', zeroHash, zeroHash],
})

describe('a step whose user gives his account other code before its transaction is mined', () => {
  const scene = bundleScene()
  const codes: Record<string, Hex> = {
    reverts: '0x5f5ffd',
    'burns all gas': '0x5b5f56',
    'has an opcode that is none': '0xfe',
    'says that the batch has run': revertsWith(duplicate),
  }

  for (const [what, code] of Object.entries(codes)) {
    describe(`which ${what}`, () => {
      it('ends, and what follows on the lane gets higher fees', async function () {
        this.timeout(60_000)
        const { a } = scene
        const url = a().rpcUrls[0]!
        const baseFee = (fee: bigint) => rpc(url, 'anvil_setNextBlockBaseFeePerGas', [`0x${fee.toString(16)}`])
        await baseFee(10n ** 9n)
        await scene.mine()
        const [user, other] = await scene.users(2)
        await fund(a(), user!.address, { native: 10n ** 18n })
        const contract = newUser().address
        await scene.setCode(contract, code)
        const asked = await scene.ask([{ user: user!, intent: await scene.intentOf(user!, [scene.payVault(7n)]) }])
        const more = {
          SOLVER_PRIVATE_KEYS: scene.env().SOLVER_PRIVATE_KEYS!.split(',')[0]!,
          ...scene.changedChains((chain) => (chain.replaceAfterMs = 1_000)),
        }
        await scene.automine(false)
        await scene.withService(more, async (service) => {
          const pending = await scene.sent(service)
          await scene.overtake(pending, async () => {
            const signed = await user!.signAuthorization({ contractAddress: contract, chainId: a().chainId, nonce: 1 })
            await createWalletClient({ account: user!, transport: http(url) }).sendTransaction({
              chain: null,
              to: zeroAddress,
              gas: 200_000n,
              nonce: 0,
              authorizationList: [signed],
            })
            await scene.mine()
          })
          expect((await reader(a()).getTransactionReceipt({ hash: pending.hash })).status).to.equal('reverted')
          const [step] = await scene.ends(service, asked)
          expect([step.status, step.error.code]).to.deep.equal(['reverted', 'execution_reverted'])
          expect(step.confirmations).to.equal(step.requiredConfirmations)

          const later = await scene.askOf(service, [
            { user: other!, intent: await scene.intentOf(other!, [scene.payVault(7n)]) },
          ])
          await scene.sent(service)
          await baseFee(10n ** 11n)
          await scene.mine()
          const { knex } = service.database
          const forms = async () => (await knex('attempts')).length
          await until(async () => (await forms()) > 2, 'higher fees', 20_000)
          await scene.automine(true)
          const [paid] = await scene.ends(service, later)
          expect(paid.status).to.equal('success')
        })
        await baseFee(10n ** 9n)
      })
    })
  }
})
