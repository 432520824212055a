import { expect } from 'chai'
import { checkBalances } from '../../../server/store/money/reconciliation.js'
import { randomAddress, stepOf } from '../../support/builders.js'
import { moneyScene, need } from './moneyScene.js'

describe('balances held against the ledger', () => {
  const scene = moneyScene()
  const rounds = 60

  it('are those of one moment, so that nothing is a fault while the service moves money', async function () {
    this.timeout(60_000)
    const payout = stepOf(await scene.paidAction(randomAddress(), 100n), 0, 1)
    let isMoving = true
    const moving = (async () => {
      const error = { code: 'transfer_mismatch', message: 'no', retryable: true } as const
      const failed = { status: 'error', error, transactionHash: null, blockNumber: null } as const
      for (let attempt = 1; attempt <= rounds; attempt++) {
        await scene.ask(payout, { needs: [need(100n)] })
        await scene.store.settleStep({ ref: payout, attempt: String(attempt) }, failed, Date.now())
        await scene.database.knex('steps').update({ attempts: attempt, excused: attempt })
      }
    })().finally(() => (isMoving = false))
    let looks = 0
    const looking = async () => {
      for (; isMoving; looks++) expect(await checkBalances(scene.database)).to.deep.equal([])
    }
    await Promise.all([moving, looking()])
    expect(looks).to.be.greaterThan(10)
  })

  it('tell what differs, in which part, and by how much', async () => {
    const user = randomAddress()
    await scene.paidAction(user, 100n)
    const row = scene.database.knex('balances').where({ user })
    const [{ token, chain_id: chainId, available }] = await row.clone()
    await row.clone().update({ available: '101' })
    const faults = await checkBalances(scene.database)
    await row.clone().update({ available })
    expect(faults).to.deep.equal([
      { user, chainId: Number(chainId), token, part: 'available', kept: 101n, ledger: 100n },
    ])
  })

  it('are missed where the ledger has entries and nobody keeps what they add up to, and the other way round', async () => {
    const [user, other] = [randomAddress(), randomAddress()]
    await scene.paidAction(user, 100n)
    const { knex } = scene.database
    const [row] = await knex('balances').where({ user })
    await knex('balances').where({ user }).update({ user: other })
    const faults = await checkBalances(scene.database)
    await knex('balances').where({ user: other }).update({ user })
    const place = { chainId: Number(row.chain_id), token: row.token, part: 'available' }
    expect(faults).to.have.deep.members([
      { user, ...place, kept: 0n, ledger: 100n },
      { user: other, ...place, kept: 100n, ledger: 0n },
    ])
  })
})
