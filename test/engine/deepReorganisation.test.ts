import { expect } from 'chai'
import { type Abi, encodeFunctionData, type Hash, parseUnits } from 'viem'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { availableOf } from '../support/credit.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { balanceOf, fund, newUser, onDemandIntent, sendFrom, tokenOf, transferData } from '../support/wallets.js'

const confirmations = 3
/** So many blocks back it is looked for, from the last look on. */
const reorganisationBlocks = 16

/** Blocks that were final are replaced by others: what is promised ends there, and the service says so. */
describe('a reorganisation deeper than the confirmations', () => {
  const { service, api } = useServiceOnChains((chain) => ({ ...chain, confirmations, reorganisationBlocks }))

  const a = () => service.chains[0]
  const b = () => service.chains[1]
  const usd = (chain: ReturnType<typeof a>) => tokenOf(chain, 'usd').address
  const mine = (chain: ReturnType<typeof a>, blocks: number) =>
    rpc(chain.rpcUrls[0]!, 'anvil_mine', [`0x${blocks.toString(16)}`])

  /** A payment of 5 on one chain that is final, and a payout of 5 on the other, which has been asked for by itself. */
  async function payment() {
    const user = newUser()
    await fund(a(), user.address, { usd: parseUnits('5', 6), native: 10n ** 18n })
    await mine(a(), confirmations)
    const hash = await sendFrom(a(), user, { to: usd(a()), data: transferData(a().vault, parseUnits('5', 6)) })
    const pays = { from: user.address, to: a().vault, token: usd(a()), amount: parseUnits('5', 6) }
    const gets = { from: 'solver', to: user.address, token: usd(b()), amount: parseUnits('5', 18) }
    const created = await api.post('/actions', {
      user: user.address,
      intents: [
        onDemandIntent([
          { chainId: a().chainId, tokenTransfers: [pays] },
          { chainId: b().chainId, tokenTransfers: [gets] },
        ]),
      ],
    })
    const { actionId } = created.body
    await api.execute(actionId, 0, 0, { hash }, 0)
    await mine(a(), confirmations)
    return { user, hash, actionId: actionId as string }
  }

  /** Both final. */
  async function paidAction() {
    const { user, hash, actionId } = await payment()
    const payout = await until(async () => (await step(actionId, 1)).transactionHash, 'the payout to be stored', 20_000)
    await until(() => rpc(b().rpcUrls[0]!, 'eth_getTransactionReceipt', [payout]), 'the payout to be mined')
    await mine(b(), confirmations)
    await until(async () => (await step(actionId, 1)).status === 'success', 'the payout', 20_000)
    return { user, hash, actionId }
  }

  const step = async (actionId: string, index: number) =>
    (await api.get(`/actions/${actionId}/intents/0/steps/${index}`)).body

  async function expectBooksToBalance(): Promise<void> {
    const { vaults, balanceFaults } = await compareVaults(service.database, service.chains)
    expect(balanceFaults).to.deep.equal([])
    for (const vault of vaults) expect(vault.unexplained, `${vault.chainId} ${vault.token.id}`).to.equal(0n)
  }

  it('that removes a payout shows it as executing again, and it is paid once on the new chain', async function () {
    this.timeout(60_000)
    const { user, actionId } = await paidAction()
    expect(await balanceOf(b(), usd(b()), user.address)).to.equal(parseUnits('5', 18))
    await rpc(b().rpcUrls[0]!, 'evm_setAutomine', [false])
    await rpc(b().rpcUrls[0]!, 'anvil_reorg', [confirmations + 3, []])
    expect(await balanceOf(b(), usd(b()), user.address)).to.equal(0n)
    await mine(b(), 1)
    await until(async () => (await step(actionId, 1)).status === 'executing', 'the step to be open again', 20_000)
    await rpc(b().rpcUrls[0]!, 'evm_setAutomine', [true])
    await until(
      async () => (await mine(b(), 1), (await step(actionId, 1)).status === 'success'),
      'the payout, again',
      30_000,
    )
    expect(await balanceOf(b(), usd(b()), user.address)).to.equal(parseUnits('5', 18))
    expect((await api.get(`/actions/${actionId}`)).body.status).to.equal('success')
    await expectBooksToBalance()
  })

  it('that removes a payout which had failed sends that no more, since its credit is the user’s again', async function () {
    this.timeout(60_000)
    const url = b().rpcUrls[0]!
    await rpc(url, 'evm_setAutomine', [false])
    const { user, actionId } = await payment()
    const transactions = () => service.database.knex('transactions').where({ chain_id: b().chainId })
    const { id } = await until(
      () => transactions().where({ status: 'open' }).whereNotNull('sent_at').first('id'),
      'it to be sent',
    )
    const { hash, raw } = await service.database.knex('attempts').where({ transaction_id: id }).first('hash', 'raw')
    // In the same block, before it.
    await rpc(url, 'anvil_dropTransaction', [hash])
    const data = encodeFunctionData({ abi: solverVaultAbi as Abi, functionName: 'setPaused', args: [true] })
    const paused = sendFrom(b(), devAccount(0), { to: b().vault, data })
    const pooled = async () => Number(((await rpc(url, 'txpool_status', [])) as { pending: string }).pending)
    await until(async () => (await pooled()) === 1, 'it in the pool')
    await rpc(url, 'eth_sendRawTransaction', [raw])
    await mine(b(), confirmations)
    await paused
    await until(async () => (await step(actionId, 1)).status === 'reverted', 'the payout to fail', 20_000)
    expect(await availableOf(api, user.address)).to.equal('5000000')

    await rpc(url, 'anvil_reorg', [confirmations, []])
    await rpc(url, 'anvil_dropAllTransactions', [])
    await rpc(url, 'evm_setAutomine', [true])
    const isOpen = async () => (await transactions().where({ id }).first('status')).status === 'open'
    await until(isOpen, 'its transaction to be open again', 20_000)
    await until(async () => (await mine(b(), 1), !(await isOpen())), 'its nonce to be used up', 30_000)
    expect(await balanceOf(b(), usd(b()), user.address)).to.equal(0n)
    expect(await availableOf(api, user.address)).to.equal('5000000')
    expect((await step(actionId, 1)).status).to.equal('reverted')
    await expectBooksToBalance()
  })

  it('that removes a payment records what was paid out on it, and makes it good when the payment comes again', async function () {
    this.timeout(60_000)
    const { user, hash, actionId } = await paidAction()
    const url = a().rpcUrls[0]!
    const raw = (await rpc(url, 'eth_getRawTransactionByHash', [hash])) as Hash
    await rpc(url, 'evm_setAutomine', [false])
    await rpc(url, 'anvil_reorg', [confirmations + 1, []])
    await rpc(url, 'anvil_dropTransaction', [hash])
    await mine(a(), 2)
    await until(async () => (await step(actionId, 0)).status === 'executing', 'the payment to be open again', 20_000)
    expect((await step(actionId, 1)).status, 'the payout has happened').to.equal('success')
    const exposures = () => service.database.knex('exposures').where({ transaction_hash: hash })
    const [exposure] = await exposures()
    expect(exposure).to.include({ kind: 'credit', user: user.address.toLowerCase(), open_amount: '5000000' })
    expect(exposure.resolved_at).to.equal(null)
    await expectBooksToBalance()

    await rpc(url, 'evm_setAutomine', [true])
    await rpc(url, 'eth_sendRawTransaction', [raw])
    await mine(a(), confirmations)
    await until(async () => (await step(actionId, 0)).status === 'success', 'the payment, again', 20_000)
    const [covered] = await exposures()
    expect(covered.open_amount).to.equal('0')
    expect(await availableOf(api, user.address)).to.equal('0')
    await expectBooksToBalance()
  })

  for (const [what, blocks] of [
    ['at once', 1],
    ['seen after more blocks than that', 2 * reorganisationBlocks],
  ] as const) {
    it(`that removes a deposit takes the credit back, so that nothing is paid out on it: ${what}`, async function () {
      this.timeout(60_000)
      const user = newUser()
      await fund(a(), user.address, { usd: 9n, native: 10n ** 18n })
      await mine(a(), confirmations)
      const hash = await sendFrom(a(), user, { to: usd(a()), data: transferData(a().vault, 9n) })
      await mine(a(), confirmations)
      const { address } = user
      const body = {
        user: address,
        sender: address,
        txHash: hash,
        tokenAddress: usd(a()),
        chainId: a().chainId,
        amount: '9',
      }
      expect((await api.post('/coredeposit', body)).status).to.equal(200)
      const available = () => availableOf(api, address)
      expect(await available()).to.equal('9')
      await rpc(a().rpcUrls[0]!, 'evm_setAutomine', [false])
      await rpc(a().rpcUrls[0]!, 'anvil_reorg', [confirmations + 1, []])
      await rpc(a().rpcUrls[0]!, 'anvil_dropTransaction', [hash])
      await mine(a(), blocks)
      await until(async () => (await available()) === '0', 'the credit to go', 20_000)
      await rpc(a().rpcUrls[0]!, 'evm_setAutomine', [true])
      await expectBooksToBalance()
    })
  }
})
