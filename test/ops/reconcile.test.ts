import { expect } from 'chai'
import { rpc } from '../../server/devnet/anvil.js'
import { until } from '../support/until.js'
import { onDemandIntent } from '../support/wallets.js'
import { attackScene } from '../support/attackScene.js'

/** The ledger is falsified behind the service's back. */
describe('what `npm run reconcile` says of a ledger that is wrong', () => {
  const scene = attackScene()
  const { a, b, tenOnB, payer, payIn, payOut, create, api } = scene
  const ledger = () => scene.database().knex('ledger')
  const usdOn = async (chainId: number) =>
    (await scene.compare()).vaults.find((vault) => vault.chainId === chainId && vault.token.id === 'usd')!

  async function paidAction() {
    const { user, hash } = await payer()
    const actionId = await create(user.address, [onDemandIntent([payIn(user.address), payOut(user.address)])])
    expect((await api.execute(actionId, 0, 0, { hash })).body.status).to.equal('success')
    const payout = await api.execute(actionId, 0, 1)
    expect(payout.body.status).to.equal('success')
    return { actionId, payment: hash as string, payout: payout.body.transactionHash as string }
  }

  it('names nothing while everything is explained', async () => {
    await paidAction()
    for (const vault of (await scene.compare()).vaults)
      expect(vault).to.include({ unexplained: 0n }).and.deep.include({ suspects: [] })
  })

  it('names the transaction of a payout that is not booked', async () => {
    const { actionId, payout } = await paidAction()
    const entry = ledger().where('cause', 'like', `payout:${actionId}/%`)
    const [row] = await entry.clone()
    await entry.clone().delete()
    const { unexplained, suspects } = await usdOn(b().chainId)
    await ledger().insert(row)
    expect(unexplained).to.equal(-tenOnB)
    expect(suspects).to.deep.equal([{ kind: 'unbooked', hash: payout, onChain: tenOnB }])
  })

  it('names the entry of a payout that never happened', async () => {
    const { actionId } = await paidAction()
    const [row] = await ledger().where('cause', 'like', `payout:${actionId}/%`)
    const cause = 'payout:invented/0/0:1:0'
    await ledger().insert({ ...row, id: undefined, cause, amount: '7' })
    const { unexplained, suspects } = await usdOn(b().chainId)
    await ledger().where({ cause }).delete()
    expect(unexplained).to.equal(7n)
    expect(suspects).to.deep.equal([{ kind: 'unpaid', cause, booked: 7n }])
  })

  it('names a payment that is booked with another amount than it brought', async () => {
    const { payment } = await paidAction()
    const entry = ledger().where({ cause: `arrival:${a().chainId}:${payment}:0` })
    await entry.clone().update({ amount: '9000000' })
    const { unexplained, suspects } = await usdOn(a().chainId)
    await entry.clone().update({ amount: '10000000' })
    expect(unexplained).to.equal(1_000_000n)
    expect(suspects).to.deep.equal([{ kind: 'arrival', hash: payment, onChain: 10_000_000n, booked: 9_000_000n }])
  })

  it('tells how many transactions may yet explain it', async () => {
    const { user, hash } = await payer()
    const actionId = await create(user.address, [onDemandIntent([payIn(user.address), payOut(user.address)])])
    await api.execute(actionId, 0, 0, { hash, action: 'register' })
    const url = b().rpcUrls[0]!
    await rpc(url, 'evm_setAutomine', [false])
    try {
      await api.execute(actionId, 0, 1, undefined, 0)
      const { unsettled } = await until(async () => {
        const compared = await scene.compare()
        return compared.unsettled.length > 0 ? compared : null
      }, 'the payout’s transaction')
      expect(unsettled).to.deep.equal([{ chainId: b().chainId, transactions: 1 }])
    } finally {
      await rpc(url, 'evm_setAutomine', [true])
    }
    await rpc(url, 'evm_mine', [])
    expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')
    expect((await scene.compare()).unsettled).to.deep.equal([])
  })
})
