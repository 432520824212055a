import { expect } from 'chai'
import { type Abi, type Address, createWalletClient, encodeFunctionData, type Hex, http } from 'viem'
import { createChain } from '../../server/chain/createChain.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { adoptExecution } from '../../server/engine/outcomes/adoptExecution.js'
import type { EngineTools } from '../../server/engine/tools.js'
import { createStore } from '../../server/store/store.js'
import { attackScene, native } from '../support/attackScene.js'
import { randomHash } from '../support/builders.js'
import { until } from '../support/until.js'
import { authorization, reader, sendFrom, signedIntent, transferData } from '../support/wallets.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'

/** As in a database that was restored from a backup of the moment before the payout, later than the intent lasts. */
describe('a payout that a restored database does not know', () => {
  const scene = attackScene()
  const { a, usdA, ten, aUser, pay, report, available, api } = scene

  type User = Awaited<ReturnType<typeof aUser>>
  type Payout = {
    calls: { to: Address; value: bigint; data: Hex }[]
    lifetimeSeconds?: number
    meanwhile?: (user: User) => unknown
    /** What was set aside for it is spent, and not on it. */
    isCreditGone?: boolean
  }
  const noCalls: Payout = { calls: [] }
  const withCalls = (): Payout => ({ calls: [{ to: usdA(), value: 0n, data: transferData(a().vault, 0n) }] })

  /** Has a payout of all his credit carried out; by an intent that lasts longer where this one was too short for it. */
  async function paidOut({ calls, lifetimeSeconds }: Payout): Promise<{ user: User; actionId: string; exp?: number }> {
    const user = await aUser()
    expect((await report(user.address, await pay(user))).status).to.equal(200)
    const tokenTransfers = [{ from: 'solver' as const, to: user.address, token: usdA(), amount: ten }]
    const batch = { chainId: a().chainId, tokenTransfers, calls }
    const lasts = lifetimeSeconds && { exp: Math.floor(Date.now() / 1000) + lifetimeSeconds }
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: calls.length > 0 ? [await authorization(user, a(), 1)] : [],
      intents: [await signedIntent(user, [batch], lasts || {})],
    })
    const { actionId } = created.body
    const { body } = await api.execute(actionId, 0, 0)
    if (lasts && body.status !== 'success' && (await isOver(lasts.exp))) {
      return paidOut({ calls, lifetimeSeconds: 2 * lifetimeSeconds! })
    }
    expect(body).to.include({ status: 'success' })
    return { user, actionId, ...lasts }
  }

  /** By the service's clock or the chain's, which may be ahead of it. */
  async function isOver(exp: number): Promise<boolean> {
    const { timestamp } = await reader(a()).getBlock()
    return Math.max(Number(timestamp), Date.now() / 1000) > exp
  }

  /** The same, and then forgotten. His step is asked for again as soon as the intent is over, if it ends. */
  async function forgotten(payout: Payout) {
    const { user, actionId, exp } = await paidOut(payout)
    const { meanwhile, isCreditGone = false } = payout
    await meanwhile?.(user)

    const { knex } = scene.database()
    const step = knex('steps').where({ action_id: actionId })
    const { transaction_id: id } = await step.clone().first('transaction_id')
    const owner = { user: user.address.toLowerCase(), chain_id: a().chainId, token: usdA() }
    await knex('ledger').where('cause', 'like', `payout:${actionId}/%`).delete()
    if (isCreditGone) await knex('reservations').where({ action_id: actionId }).delete()
    else {
      await knex('ledger').where('cause', 'like', `spend:${actionId}/%`).delete()
      await knex('credits').where(owner).update({ reserved: ten.toString(), is_open: 1 })
      await knex('balances').where(owner).update({ reserved: ten.toString() })
      await knex('reservations').where({ action_id: actionId }).update({ status: 'reserved' })
    }
    await knex('attempts').where({ transaction_id: id }).delete()
    await knex('transactions').where({ id }).delete()
    const open = { status: 'executing', transaction_id: null, transaction_hash: null, block_number: null }
    const dueAt = exp === undefined ? Date.now() : (exp + 1) * 1000
    await step.clone().update({ ...open, block_hash: null, step_key: null, due_at: dueAt })
    return { user, status: async () => (await api.get(`/actions/${actionId}/intents/0/steps/0`)).body.status as string }
  }

  async function isSpentOnce({ user, status }: Awaited<ReturnType<typeof forgotten>>) {
    await until(async () => (await status()) !== 'executing', 'the step to end', 60_000)
    expect(await available(user.address), 'he has his money').to.equal('0')
    expect(await status()).to.equal('success')
    const { vaults, balanceFaults } = await scene.compare()
    expect(balanceFaults).to.deep.equal([])
    for (const vault of vaults) expect(vault).to.include({ unexplained: 0n })
  }

  for (const [what, payout] of [
    ['pays out only', () => noCalls],
    ['runs calls too', withCalls],
  ] as const) {
    it(`is spent, though its intent has expired meanwhile, when it ${what}`, async function () {
      this.timeout(120_000)
      await isSpentOnce(await forgotten({ ...payout(), lifetimeSeconds: 5 }))
    })
  }

  it('is spent, though the vault is paused', async () => {
    const setPaused = (isPaused: boolean) =>
      sendFrom(a(), devAccount(0), {
        to: a().vault,
        data: encodeFunctionData({ abi: solverVaultAbi as Abi, functionName: 'setPaused', args: [isPaused] }),
      })
    try {
      await isSpentOnce(await forgotten({ ...noCalls, meanwhile: () => setPaused(true) }))
    } finally {
      await setPaused(false)
    }
  })

  it('is an exposure where its credit has gone elsewhere meanwhile', async () => {
    const payout = await forgotten({ ...noCalls, isCreditGone: true })
    await isSpentOnce(payout)
    const user = payout.user.address.toLowerCase()
    const exposures = await scene.database().knex('exposures').where({ user }).select('kind', 'open_amount')
    expect(exposures).to.deep.equal([{ kind: 'payout', open_amount: ten.toString() }])
  })

  it('is spent, though its user has taken his delegation back', async () => {
    async function takeBack(user: User) {
      const nonce = await reader(a()).getTransactionCount({ address: user.address })
      const none = await user.signAuthorization({ contractAddress: native, chainId: a().chainId, nonce: nonce + 1 })
      const wallet = createWalletClient({ account: user, transport: http(a().rpcUrls[0]) })
      const hash = await wallet.sendTransaction({ chain: null, to: user.address, authorizationList: [none] })
      await minedReceipt(reader(a()), hash)
    }
    await isSpentOnce(await forgotten({ ...withCalls(), meanwhile: takeBack }))
  })

  it('gives no credit back while the node has no log of it', async () => {
    const user = await aUser()
    expect((await report(user.address, await pay(user))).status).to.equal(200)
    const tokenTransfers = [{ from: 'solver' as const, to: user.address, token: usdA(), amount: ten }]
    const batch = { chainId: a().chainId, tokenTransfers, calls: [] }
    const intents = [await signedIntent(user, [batch])]
    const actionId = await scene.create(user.address, intents)
    expect((await api.execute(actionId, 0, 0)).body.status).to.equal('success')
    const work = (await createStore(scene.database()).readStepWork({ actionId, intentIndex: 0, stepIndex: 0 }))!
    // A key that was never paid: there is no log of it, as on a node that lags behind the one that was asked before.
    const unseen = { ...work, stepKey: randomHash() }
    const adoption = adoptExecution(unseen, createChain(a()), 'paid', {
      tellSeldom: () => undefined,
    } as unknown as EngineTools)
    expect(await adoption).to.deep.equal({ outcome: 'waits', found: false })
  })
})
