import { join } from 'node:path'
import { expect } from 'chai'
import { type Abi, type Address, encodeFunctionData, type Hash, parseUnits } from 'viem'
import { compiledOnce } from '../support/compiledOnce.js'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { rpc } from '../../server/devnet/anvil.js'
import { createDeployer } from '../../server/devnet/deployContracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { availableOf } from '../support/credit.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import {
  authorization,
  fund,
  newUser,
  onDemandIntent,
  sendFrom,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

const contracts = compiledOnce(join(import.meta.dirname, '../contracts/solidity'))

/** Configured tokens that keep 1 % of each transfer. */
const tokens = [
  ['LyingFeeToken', 'a token that takes a fee and does not say so'],
  ['SpokenFeeToken', 'a token that takes a fee and logs it as a transfer of whom it takes it from'],
] as const

for (const [name, what] of tokens) {
  describe(what, () => {
    let token: Address
    const { service, api } = useServiceOnChains(async (chain) => {
      if (chain.chainId !== 31337) return chain
      const { evm } = contracts[name]!
      token = await createDeployer(chain.rpcUrls[0]!, devAccount(6)).deploy(`0x${evm.bytecode.object}`)
      const lying = { ...tokenOf(chain, 'usd'), id: 'lying', address: token, airdrop: null }
      return { ...chain, tokens: [...chain.tokens, lying] }
    })

    const a = () => service.chains[0]
    const b = () => service.chains[1]

    async function holder() {
      const user = newUser()
      await fund(a(), user.address, { native: parseUnits('1', 18) })
      const data = encodeFunctionData({
        abi: contracts[name]!.abi as Abi,
        functionName: 'mint',
        args: [user.address, 10_000_000n],
      })
      await sendFrom(a(), user, { to: token, data })
      return user
    }

    const pay = (user: ReturnType<typeof newUser>): Promise<Hash> =>
      sendFrom(a(), user, { to: token, data: transferData(a().vault, 10_000_000n) })

    const available = (user: Address) =>
      availableOf(api, user, ({ tokenAddress }) => tokenAddress.toLowerCase() === token)

    const inOf = (user: Address, to: Address = a().vault) => ({
      chainId: a().chainId,
      tokenTransfers: [{ from: user, to, token, amount: 10_000_000n }],
    })
    const outOf = (user: Address, amount: string) => ({
      chainId: b().chainId,
      tokenTransfers: [
        { from: 'solver' as const, to: user, token: tokenOf(b(), 'usd').address, amount: parseUnits(amount, 18) },
      ],
    })

    it('gives credit for what an on-demand payment brought, and pays out no more than that', async () => {
      const user = await holder()
      const hash = await pay(user)
      const greedy = await api.post('/actions', {
        user: user.address,
        intents: [onDemandIntent([inOf(user.address), outOf(user.address, '10')])],
      })
      expect((await api.execute(greedy.body.actionId, 0, 0, { hash })).body.status).to.equal('success')
      expect(await available(user.address)).to.equal('9900000')
      const refused = await api.execute(greedy.body.actionId, 0, 1)
      const { code, message } = refused.body.error
      expect(code, message).to.equal('insufficient_credit')
    })

    it('gives credit for what the calls of a signed batch brought', async () => {
      const user = await holder()
      const pays = {
        ...inOf(user.address),
        calls: [{ to: token, value: 0n, data: transferData(a().vault, 10_000_000n) }],
      }
      const created = await api.post('/actions', {
        user: user.address,
        chainAuthorizations: [await authorization(user, a(), 1)],
        intents: [await signedIntent(user, [pays, { ...outOf(user.address, '9.9'), calls: [] }])],
      })
      const step = await api.execute(created.body.actionId, 0, 0)
      expect(step.body.status, JSON.stringify(step.body)).to.equal('success')
      expect(await available(user.address)).to.equal('9900000')
      expect((await api.execute(created.body.actionId, 0, 1)).body.status).to.equal('success')
      expect(await available(user.address)).to.equal('0')
    })

    it('is shared fairly by those who pay in the same block', async () => {
      const users = [await holder(), await holder()]
      const url = a().rpcUrls[0]!
      await rpc(url, 'evm_setAutomine', [false])
      const payments = users.map((user) => pay(user))
      await until(
        async () => Number(((await rpc(url, 'txpool_status', [])) as { pending: string }).pending) === 2,
        'both',
      )
      await rpc(url, 'evm_setAutomine', [true])
      await rpc(url, 'evm_mine', [])
      for (const [index, user] of users.entries()) {
        const created = await api.post('/actions', {
          user: user.address,
          intents: [onDemandIntent([inOf(user.address), outOf(user.address, '9.9')])],
        })
        const { actionId } = created.body
        await api.execute(actionId, 0, 0, { hash: await payments[index]! })
        expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')
        expect(await available(user.address)).to.equal('0')
      }
    })

    it('is refused as a deposit of the full amount, which says how much has come', async () => {
      const user = await holder()
      const report = {
        user: user.address,
        sender: user.address,
        txHash: await pay(user),
        tokenAddress: token,
        chainId: a().chainId,
        amount: '10000000',
      }
      const refused = await api.post('/coredeposit', report)
      expect(refused.status).to.equal(400)
      expect(refused.body.error.code).to.equal('deposit_mismatch')
      expect(refused.body.error.message).to.include('9900000')
      expect(await available(user.address)).to.equal('0')
      const recorded = await api.post('/coredeposit', { ...report, amount: '9900000' })
      expect(recorded.status, JSON.stringify(recorded.body)).to.equal(200)
      expect(await available(user.address)).to.equal('9900000')
      // Nor once more, whatever is said of it.
      for (const [amount, status] of [
        ['9900000', 200],
        ['10000000', 400],
      ] as const) {
        expect((await api.post('/coredeposit', { ...report, amount })).status).to.equal(status)
        expect(await available(user.address)).to.equal('9900000')
      }
    })

    it('leaves a ledger that equals the vaults', async () => {
      const { vaults, balanceFaults } = await compareVaults(service.database, service.chains)
      expect(balanceFaults).to.deep.equal([])
      for (const { chainId, token: held, unexplained } of vaults) {
        expect(unexplained, `${chainId} ${held.id}`).to.equal(0n)
      }
    })
  })
}
