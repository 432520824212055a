import { expect } from 'chai'
import { acknowledgeUnknownPayout, forgetUnknownPayout } from '../../scripts/operate/unknownPayouts.js'
import { createChain } from '../../server/chain/createChain.js'
import { createStore } from '../../server/store/store.js'
import { attackScene, native } from '../support/attackScene.js'
import { randomAddress, randomHash } from '../support/builders.js'
import { sendFrom, signedIntent } from '../support/wallets.js'

/** As in a database that was restored from a backup of the moment before the payout's action was posted. */
describe('a payout that a restored database does not know, acknowledged by an operator,', () => {
  const scene = attackScene()
  const { a, usdA, ten, aUser, pay, report, create, api } = scene
  type Lost = Awaited<ReturnType<typeof lostPayout>>

  /**
   * Twenty and fifty of a token for its payer, by a transaction of which the journal and
   * the ledger know nothing any more.
   */
  async function lostPayout(token = usdA()) {
    const user = await aUser()
    const payment = token === native ? await sendFrom(a(), user, { to: a().vault, value: ten }) : await pay(user)
    expect((await report(user.address, payment, { tokenAddress: token })).status).to.equal(200)
    const transfer = { from: 'solver', to: user.address, token } as const
    const tokenTransfers = [20n, 50n].map((amount) => ({ ...transfer, amount }))
    const intent = await signedIntent(user, [{ chainId: a().chainId, tokenTransfers, calls: [] }])
    const actionId = await create(user.address, [intent])
    const { body } = await api.execute(actionId, 0, 0)
    expect(body.status).to.equal('success')
    const { knex } = scene.database()
    const hash = body.transactionHash as string
    const taken = {
      ledger: knex('ledger').where('cause', 'like', `payout:${actionId}/%`),
      attempts: knex('attempts').where({ hash }),
      steps: knex('steps').where({ action_id: actionId }),
    }
    const step = await taken.steps.clone().first('transaction_hash')
    const rows = { ledger: await taken.ledger.clone(), attempts: await taken.attempts.clone() }
    await taken.ledger.clone().delete()
    await taken.attempts.clone().delete()
    await taken.steps.clone().update({ transaction_hash: null })
    /** As in a database that has the transaction, which was given up. */
    async function giveUp() {
      await knex('attempts').insert(rows.attempts)
      await knex('transactions').where({ id: rows.attempts[0].transaction_id }).update({ status: 'lost' })
    }
    async function bringBack() {
      await knex('ledger').insert(rows.ledger)
      await knex('attempts').where({ hash }).delete()
      await knex('attempts').insert(rows.attempts)
      await knex('transactions').where({ id: rows.attempts[0].transaction_id }).update({ status: 'final' })
      await taken.steps.clone().update(step)
    }
    const set = (columns: object) => taken.steps.clone().update(columns)
    return { user: user.address, token, hash, giveUp, bringBack, set }
  }

  const placeOf = (config = a()) => ({
    database: scene.database(),
    chains: new Map([[config.chainId, createChain(config)]]),
  })
  const wordsOf = ({ token, hash }: Pick<Lost, 'token' | 'hash'>, user: string | undefined) => ({
    chainId: `${a().chainId}`,
    token,
    transactionHash: hash,
    user,
  })
  const acknowledge = (payout: Pick<Lost, 'token' | 'hash'>, amount: string, user?: string) =>
    acknowledgeUnknownPayout({ ...wordsOf(payout, user), amount }, placeOf())
  const forget = (payout: Lost, user?: string) => forgetUnknownPayout(wordsOf(payout, user), placeOf())
  const refusal = (order: Promise<string>) => order.catch((error: Error) => error.message)

  async function books({ token }: Lost) {
    const { vaults, balanceFaults } = await scene.compare()
    expect(balanceFaults).to.deep.equal([])
    const vault = vaults.find((entry) => entry.chainId === a().chainId && entry.token.address === token)!
    return { unexplained: vault.unexplained, suspects: vault.suspects.map(({ kind }) => kind) }
  }
  const exposures = async ({ hash }: Lost) =>
    (await createStore(scene.database()).readOpenExposures()).filter((entry) => entry.transactionHash === hash)

  for (const [what, tokenOf] of [
    ['of a token', usdA],
    ['of the native currency', () => native],
  ] as const) {
    it(`${what} is explained from then on, once, until that is taken back`, async () => {
      const lost = await lostPayout(tokenOf())
      const other = await lostPayout(tokenOf())
      expect(await books(lost)).to.deep.equal({ unexplained: -140n, suspects: Array(4).fill('unbooked') })
      expect(await acknowledge(lost, '70')).to.match(/^Booked as paid: 70 of /)
      expect(await books(lost)).to.deep.equal({ unexplained: -70n, suspects: Array(2).fill('unbooked') })
      expect(await refusal(acknowledge(lost, '1'))).to.contain('of which the ledger has 70 already')
      // A part of it, which leaves the rest to be acknowledged once that is taken back.
      await acknowledge(other, '20')
      expect(await books(lost)).to.include({ unexplained: -50n })
      expect(await refusal(acknowledge(other, '50'))).to.contain('was acknowledged before')
      await forget(other)
      expect(await refusal(forget(other))).to.match(/^No payout of .* is acknowledged$/)
      await acknowledge(other, '70')
      expect(await books(lost)).to.deep.equal({ unexplained: 0n, suspects: [] })
      for (const payout of [lost, other]) {
        await forget(payout)
        await payout.bringBack()
      }
      expect(await books(lost)).to.deep.equal({ unexplained: 0n, suspects: [] })
    })
  }

  it('is named and acknowledged as well where its transaction had been given up, until its step is found', async () => {
    for (const token of [usdA(), native]) {
      const lost = await lostPayout(token)
      await lost.giveUp()
      const suspects = Array(2).fill('unbooked')
      expect(await books(lost)).to.deep.equal({ unexplained: -70n, suspects })
      expect(await acknowledge(lost, '70')).to.contain(', which the service had given up, to ')
      expect(await books(lost)).to.deep.equal({ unexplained: 0n, suspects: [] })
      await forget(lost)
      await lost.bringBack()
      expect(await books(lost)).to.deep.equal({ unexplained: 0n, suspects: [] })
    }
  })

  it('is left to a step that is under way, or has ended since it was looked for', async () => {
    const lost = await lostPayout()
    for (const columns of [{ status: 'executing' }, { status: 'success', transaction_hash: lost.hash }]) {
      await lost.set(columns)
      expect(await refusal(acknowledge(lost, '70'))).to.contain('is under way, or has just ended')
    }
    await lost.bringBack()
    expect(await books(lost)).to.deep.equal({ unexplained: 0n, suspects: [] })
  })

  it('is an exposure to the user that is named, until it is taken back', async () => {
    const lost = await lostPayout()
    await acknowledge(lost, '70', lost.user)
    const [exposure, ...more] = await exposures(lost)
    expect(more).to.deep.equal([])
    expect(exposure).to.include({ kind: 'payout', user: lost.user.toLowerCase(), amount: 70n })
    expect(await refusal(forget(lost))).to.contain('for a user that was not named')
    await forget(lost, lost.user)
    await lost.bringBack()
    expect(await exposures(lost)).to.deep.equal([])
  })

  it('is an exposure to each of the users that one transaction has paid, together never more than it has', async () => {
    const lost = await lostPayout()
    const other = randomAddress()
    await acknowledge(lost, '35', lost.user)
    expect(await refusal(acknowledge(lost, '35', lost.user))).to.contain('was acknowledged before')
    expect(await refusal(acknowledge(lost, '36', other))).to.contain('of which the ledger has 35 already')
    await acknowledge(lost, '35', other)
    const owed = (await exposures(lost)).map(({ user, amount }) => [user, amount])
    expect(owed).to.have.deep.members([
      [lost.user.toLowerCase(), 35n],
      [other, 35n],
    ])
    expect(await books(lost)).to.deep.equal({ unexplained: 0n, suspects: [] })
    const noise = await lostPayout()
    expect(await books(lost), 'what they have paid is none of what is').to.deep.equal({
      unexplained: -70n,
      suspects: Array(2).fill('unbooked'),
    })
    for (const user of [lost.user, other]) await forget(lost, user)
    for (const payout of [lost, noise]) await payout.bringBack()
    expect(await exposures(lost)).to.deep.equal([])
  })

  it('is named as paid too often once its step has been found to have made it', async () => {
    const lost = await lostPayout()
    await acknowledge(lost, '70')
    await lost.bringBack()
    expect(await books(lost)).to.deep.equal({ unexplained: 70n, suspects: ['unpaid'] })
    await forget(lost)
    expect(await books(lost)).to.deep.equal({ unexplained: 0n, suspects: [] })
  })

  it('is not believed where the chain or the journal says otherwise', async () => {
    const known = await lostPayout()
    await known.bringBack()
    expect(await refusal(acknowledge(known, '70'))).to.contain('The journal knows')
    const lost = await lostPayout()
    const said = (hash: string, amount: string, token = lost.token) => refusal(acknowledge({ token, hash }, amount))
    expect(await said(randomHash(), '70')).to.contain('No node has')
    expect(await said(lost.hash, '71')).to.contain('The vaults have paid 70 of')
    expect(await said(lost.hash, '70', native)).to.contain('The vaults have paid 0 of')
    const withdrawal = await scene.withdraw(lost.token, lost.user, 70n)
    expect(await said(withdrawal, '70')).to.contain('The vaults have paid 0 of')
    const needs = placeOf({ ...a(), confirmations: 1_000 })
    const early = acknowledgeUnknownPayout({ ...wordsOf(lost, undefined), amount: '70' }, needs)
    expect(await early.catch(String)).to.contain('of 1000 confirmations')
    expect(await books(lost)).to.include({ unexplained: -70n })
    await lost.bringBack()
  })
})
