import { expect } from 'chai'
import { attackScene } from '../support/attackScene.js'
import { until } from '../support/until.js'
import { balanceOf, newUser } from '../support/wallets.js'

describe('an airdrop that the vault has paid and the journal does not know', () => {
  const { a, usdA, api, database } = attackScene()

  it('counts as paid, by the transaction that paid it', async () => {
    const wallet = newUser().address
    const key = { chain_id: a().chainId, token: usdA(), wallet: wallet.toLowerCase() }
    const paid = await api.post(`/airdrop/${a().chainId}/usd`, { wallet, amount: '5' })
    expect(paid.status).to.equal(200)
    const { knex } = database()
    const row = await knex('airdrops').where(key).first()
    // As in a database that was restored from a backup of the moment before.
    await knex('ledger').where('cause', 'like', `airdrop:%:${key.wallet}:%`).delete()
    await knex('airdrops')
      .where(key)
      .update({ status: 'executing', transaction_id: null, transaction_hash: null, due_at: Date.now() })
    await until(async () => (await knex('airdrops').where(key).first()).status !== 'executing', 'the airdrop to end')
    const again = await knex('airdrops').where(key).first()
    expect(again).to.include({ status: 'success', transaction_hash: row.transaction_hash })
    expect(await knex('ledger').where('cause', 'like', `airdrop:%:${key.wallet}:%`)).to.have.length(1)
    expect(await balanceOf(a(), usdA(), wallet)).to.equal(5n)
  })
})
