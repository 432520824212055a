import { expect } from 'chai'
import { aNewAction, anOnDemandIntent, randomAddress, randomHash, stepOf, usdOn1 } from '../../support/builders.js'
import { moneyScene, need } from './moneyScene.js'

describe('payments in the store', () => {
  const scene = moneyScene()
  const { ask, balance, codeOf, paidAction, settlePayment } = scene

  it('ties a transaction to one step only, ever, however many ask at once', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const entries = Array.from({ length: 8 }, () => aNewAction({ user, intents: [anOnDemandIntent(user)] }))
    for (const entry of entries) await scene.store.insertAction(entry)
    const codes = await Promise.all(
      entries.map((entry) => codeOf(ask(stepOf(entry, 0, 0), { hash, action: 'register' }))),
    )
    expect(codes.filter((code) => code === 'none')).to.have.length(1)
    expect(codes.filter((code) => code === 'transaction_already_used')).to.have.length(7)
  })

  it('lets nobody occupy a transaction by naming it for another user', async () => {
    const hash = randomHash()
    const [victim, attacker] = [randomAddress(), randomAddress()]
    const junk = aNewAction({ user: attacker, intents: [anOnDemandIntent(attacker)] })
    const honest = aNewAction({ user: victim, intents: [anOnDemandIntent(victim)] })
    await scene.store.insertAction(junk)
    await scene.store.insertAction(honest)
    await ask(stepOf(junk, 0, 0), { hash, action: 'register' })
    expect((await ask(stepOf(honest, 0, 0), { hash, action: 'register' })).status).to.equal('executing')
  })

  it('refuses a transaction that has been verified as somebody else’s', async () => {
    const hash = randomHash()
    await paidAction(randomAddress(), 100n, hash)
    const stranger = randomAddress()
    const other = aNewAction({ user: stranger, intents: [anOnDemandIntent(stranger)] })
    await scene.store.insertAction(other)
    const ref = stepOf(other, 0, 0)
    expect(await codeOf(ask(ref, { hash, action: 'register' }))).to.equal('transaction_already_used')
    expect(await codeOf(ask(ref, { hash, action: 'register', signed: true }))).to.equal('transaction_already_used')
    expect(await scene.store.readStep(ref)).to.include({ status: 'created', attempts: 0 })
  })

  it('leaves a transaction to others once the user’s signature has exchanged it, also where it is verified at that moment', async () => {
    const user = randomAddress()
    const [first, second] = [randomHash(), randomHash()]
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user), anOnDemandIntent(user)] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    await ask(ref, { hash: first, action: 'register', signed: true })
    const late = (await scene.store.readStepWork(ref))!
    // The same twice at once, as by a second tap: it is exchanged once.
    await Promise.all([1, 2].map(() => ask(ref, { hash: second, action: 'register', signed: true })))
    expect(await scene.store.readStep(ref)).to.include({ status: 'executing', transactionHash: second, attempts: 2 })
    const block = { transactionHash: first, blockNumber: 7, blockHash: randomHash() }
    const arrivals = [{ chainId: 1, logIndex: 0, user, token: usdOn1, amount: 5n, ...block }]
    const found = { status: 'success' as const, ...block, confirmations: 1, arrivals, payouts: [] }
    expect(await scene.store.settleStep(late, found, Date.now())).not.to.equal('settled')
    expect(await scene.store.readStep(ref)).to.include({ status: 'executing', transactionHash: second })
    // What it has paid is not lost: it backs the other intent.
    const other = stepOf(entry, 1, 0)
    expect((await ask(other, { hash: first, action: 'register', signed: true })).status).to.equal('executing')
  })

  it('hands a transaction and its credit over to the user’s signed registration', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const junk = await paidAction(user, 100n, hash)
    const honest = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await scene.store.insertAction(honest)
    const ref = stepOf(honest, 0, 0)
    expect(await codeOf(ask(ref, { hash, action: 'register' }))).to.equal('transaction_already_used')
    expect((await ask(ref, { hash, action: 'register', signed: true })).status).to.equal('executing')
    expect((await scene.store.readStep(stepOf(junk, 0, 0)))?.error?.code).to.equal('transaction_taken_over')
    expect(await codeOf(ask(stepOf(junk, 0, 1), { needs: [need(100n)] }))).to.equal('previous_step_incomplete')
    expect(await codeOf(ask(stepOf(junk, 0, 0), { hash, action: 'register', signed: true }))).to.equal(
      'transaction_already_used',
    )
  })

  it('has the step after one whose transaction was taken over look at once', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const [junk, honest] = [1, 2].map(() => aNewAction({ user, intents: [anOnDemandIntent(user)] }))
    for (const entry of [junk!, honest!]) await scene.store.insertAction(entry)
    await ask(stepOf(junk!, 0, 0), { hash, action: 'register' })
    await ask(stepOf(junk!, 0, 1), {})
    const next = scene.database.knex('steps').where({ action_id: junk!.action.actionId, step_index: 1 })
    await next.clone().update({ due_at: Date.now() + 60_000 })
    await ask(stepOf(honest!, 0, 0), { hash, action: 'register', signed: true })
    expect((await scene.store.readStep(stepOf(junk!, 0, 0)))?.error?.code).to.equal('transaction_taken_over')
    expect(Number((await next.clone().first('due_at')).due_at)).to.be.at.most(Date.now() + 1_000)
  })

  it('hands nothing over once something was paid out on it', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const first = await paidAction(user, 100n, hash)
    await ask(stepOf(first, 0, 1), { needs: [need(10n)] })
    const late = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await scene.store.insertAction(late)
    expect(await codeOf(ask(stepOf(late, 0, 0), { hash, action: 'register', signed: true }))).to.equal(
      'transaction_already_used',
    )
  })

  it('hands it over though another user has drawn on what he paid by the same transaction', async () => {
    const [user, other, hash] = [randomAddress(), randomAddress(), randomHash()]
    const drawn = await paidAction(other, 100n)
    await ask(stepOf(drawn, 0, 1), { needs: [need(10n)] })
    // As by a transaction that moves what both of them have.
    await scene.database.knex('credits').where({ user: other }).update({ transaction_hash: hash })
    const [junk, honest] = [1, 2].map(() => aNewAction({ user, intents: [anOnDemandIntent(user)] }))
    for (const entry of [junk!, honest!]) await scene.store.insertAction(entry)
    await ask(stepOf(junk!, 0, 0), { hash, action: 'register' })
    expect((await ask(stepOf(honest!, 0, 0), { hash, action: 'register', signed: true })).status).to.equal('executing')
    expect((await scene.store.readStep(stepOf(drawn, 0, 0)))!.status).to.equal('success')
  })

  it('hands over a transaction or pays out on it, and never both, when both are asked for at once', async function () {
    this.timeout(30_000)
    for (let round = 0; round < 40; round++) {
      const [user, hash] = [randomAddress(), randomHash()]
      const payout = stepOf(await paidAction(user, 100n, hash), 0, 1)
      // Tried before in vain: the vault would know it by its key, and nothing is drawn on the payment.
      await ask(payout, { needs: [need(10n)] })
      await scene.store.fixStepKey(payout, randomHash())
      const error = { code: 'execution_reverted', message: 'no', retryable: true } as const
      const failed = { status: 'reverted', error, transactionHash: null, blockNumber: null } as const
      await scene.store.settleStep({ ref: payout, attempt: '1' }, failed, Date.now())
      const late = aNewAction({ user, intents: [anOnDemandIntent(user)] })
      await scene.store.insertAction(late)

      const [paid, handedOver] = await Promise.all([
        codeOf(ask(payout, { needs: [need(10n)] })),
        codeOf(ask(stepOf(late, 0, 0), { hash, action: 'register', signed: true })),
      ])
      expect([paid, handedOver]).to.be.deep.oneOf([
        ['none', 'transaction_already_used'],
        ['previous_step_incomplete', 'none'],
      ])
      const row = await scene.database.knex('steps').where({ action_id: payout.actionId, step_index: 1 }).first()
      expect(row.status === 'executing').to.equal(row.step_key !== null)
    }
  })

  it('hands nothing over while a payout after it draws on another payment of its action', async () => {
    const [user, early, late] = [randomAddress(), randomHash(), randomHash()]
    const first = await paidAction(user, 100n, early)
    const second = stepOf(first, 1, 0)
    await ask(second, { hash: late, action: 'register' })
    await settlePayment(second, { user, hash: late, amount: 100n })
    // Draws on the early payment, which is the oldest credit, and would be known to the vault by the late one.
    await ask(stepOf(first, 1, 1), { needs: [need(100n)] })
    const other = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await scene.store.insertAction(other)
    expect(await codeOf(ask(stepOf(other, 0, 0), { hash: late, action: 'register', signed: true }))).to.equal(
      'transaction_already_used',
    )
  })

  it('says of a step whose transaction was taken over whether it can be asked for again', async () => {
    for (const attempts of [1, 5]) {
      const [user, hash] = [randomAddress(), randomHash()]
      const junk = await paidAction(user, 100n, hash)
      const loser = stepOf(junk, 0, 0)
      await scene.database.knex('steps').where({ action_id: loser.actionId, step_index: 0 }).update({ attempts })
      const honest = aNewAction({ user, intents: [anOnDemandIntent(user)] })
      await scene.store.insertAction(honest)
      await ask(stepOf(honest, 0, 0), { hash, action: 'register', signed: true })
      expect((await scene.store.readStep(loser))!.error).to.include({ retryable: attempts < 5 })
      const again = await ask(loser, { hash: randomHash(), action: 'register' })
      expect(again.status).to.equal(attempts < 5 ? 'executing' : 'error')
    }
  })

  it('keeps a deposit from backing a step, unless the user’s signature says so', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const report = {
      user,
      chainId: 1,
      transactionHash: hash,
      sender: user,
      token: usdOn1,
      amount: 100n,
      isDeposit: true,
    }
    const deposit = await scene.store.reportDeposit(report, 1, Date.now())
    const blockHash = randomHash()
    const found = {
      outcome: 'found',
      custody: 'vault',
      movements: [{ logIndex: 0, amount: 100n }],
      mismatch: '',
      blockNumber: 7,
      blockHash,
      confirmations: 1,
    } as const
    await scene.store.settleDeposit(deposit, found, Date.now())
    expect((await scene.store.readDeposit(deposit.id))?.status).to.equal('recorded')
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    expect(await codeOf(ask(ref, { hash, action: 'register' }))).to.equal('transaction_already_used')
    expect(await codeOf(ask(ref, { hash, action: 'register', signed: true }))).to.equal('none')
    await settlePayment(ref, { user, hash, amount: 100n, blockHash, logIndex: 0 })
    expect(await balance('available', user)).to.equal(100n)
    expect(await codeOf(ask(stepOf(entry, 0, 1), { needs: [need(100n)] }))).to.equal('none')
  })

  it('asks for what follows a payment too when it is executed while its registration is being verified', async () => {
    const [user, hash] = [randomAddress(), randomHash()]
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await scene.store.insertAction(entry)
    const payment = stepOf(entry, 0, 0)
    await ask(payment, { hash, action: 'register' })
    expect((await ask(payment, { hash, action: 'execute' })).attempts).to.equal(1)
    await settlePayment(payment, { user, hash, amount: 100n })
    expect((await scene.store.readStep(stepOf(entry, 0, 1)))!.status).to.equal('executing')
  })

  it('asks for the solver’s steps that follow a payment once it is verified', async () => {
    const user = randomAddress()
    const hash = randomHash()
    const entry = aNewAction({ user })
    await scene.store.insertAction(entry)
    await ask(stepOf(entry, 0, 0), { hash, action: 'execute' })
    await settlePayment(stepOf(entry, 0, 0), { user, hash, amount: 100n })
    expect((await scene.store.readStep(stepOf(entry, 0, 1)))?.status).to.equal('executing')
    expect((await scene.store.readAction(entry.action.actionId))?.status).to.equal('executing')
  })
})
