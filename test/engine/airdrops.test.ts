import { expect } from 'chai'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
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
    await expectBooksToBalance()
  })

  it('is booked when it had ended without payment before, and others have followed', async () => {
    const wallet = newUser().address
    const key = { chain_id: a().chainId, token: usdA(), wallet: wallet.toLowerCase() }
    const ask = (amount: string) => api.post(`/airdrop/${a().chainId}/usd`, { wallet, amount })
    expect((await ask('5')).status).to.equal(200)
    const { knex } = database()
    const first = () =>
      knex('airdrops')
        .where({ ...key, round: 1 })
        .first()
    const { transaction_id: id, transaction_hash: hash } = await first()
    // As when its transaction had been given up, which the chain has mined after all.
    await knex('ledger').where('cause', 'like', `airdrop:%:${key.wallet}:1`).delete()
    const unpaid = { transaction_id: null, transaction_hash: null, block_number: null, block_hash: null }
    await knex('airdrops')
      .where({ ...key, round: 1 })
      .update({ status: 'error', error_message: 'no', ...unpaid })
    expect((await ask('6')).status).to.equal(200)
    const open = { status: 'open', mined_hash: null, mined_block: null, mined_block_hash: null, due_at: Date.now() }
    await knex('transactions').where({ id }).update(open)
    await until(async () => (await first()).status === 'success', 'the airdrop to be booked')
    expect(await first()).to.include({ transaction_id: id, transaction_hash: hash, error_message: null })
    expect(await balanceOf(a(), usdA(), wallet)).to.equal(11n)
    expect((await ask('7')).body.error?.code).to.equal('airdrop_cooldown')
    await expectBooksToBalance()
  })

  async function expectBooksToBalance(): Promise<void> {
    const { vaults } = await compareVaults(database(), [a()])
    for (const vault of vaults) expect(vault.unexplained, vault.token.id).to.equal(0n)
  }
})
