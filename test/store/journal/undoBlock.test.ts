import { expect } from 'chai'
import { randomAddress, randomHash, stepOf } from '../../support/builders.js'
import { moneyScene } from '../money/moneyScene.js'

describe('what rests on one block that is gone', () => {
  const scene = moneyScene()

  it('is undone thing by thing, though one of them can’t be, but for what rests on that very transaction', async () => {
    const block = { number: 7, hash: randomHash() }
    const users = [randomAddress(), randomAddress()] as const
    const payments = []
    for (const user of users) {
      const hash = randomHash()
      const entry = await scene.paidAction(user, 100n, hash)
      await scene.database.knex('credits').where({ transaction_hash: hash }).update({ block_hash: block.hash })
      await scene.database.knex('steps').where({ transaction_hash: hash }).update({ block_hash: block.hash })
      payments.push(stepOf(entry, 0, 0))
    }
    // Whose ledger was tampered with.
    const kept = await scene.database.knex('balances').where({ user: users[0] })
    await scene.database.knex('balances').where({ user: users[0] }).delete()
    const failures: unknown[] = []
    const undone = await scene.store.undoBlock(1, block, Date.now(), (error) => failures.push(error))
    expect(failures).to.have.length(1)
    expect(undone.map(({ kind }) => kind)).to.deep.equal(['credit', 'step'])
    expect((await scene.store.readStep(payments[0]!))!.status).to.equal('success')
    expect((await scene.store.readStep(payments[1]!))!.status).to.equal('executing')
    expect((await scene.store.readBalances(users[1]))[0]?.available ?? 0n).to.equal(0n)
    await scene.database.knex('balances').insert(kept)
  })
})
