import { expect } from 'chai'
import { rpc } from '../../server/devnet/anvil.js'
import { payingAction } from '../support/payingAction.js'
import { until } from '../support/until.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'

describe('a node that answers for receipts with an error, as while it indexes', function () {
  this.timeout(60_000)
  const { service, api, node } = useServiceBehindNode((chain) => chain, { operators: 1 })
  const url = () => node().upstream!
  const open = () => service.database.knex('transactions').where({ status: 'open' })
  const pooled = async () => {
    const { pending, queued } = (await rpc(url(), 'txpool_status', [])) as { pending: string; queued: string }
    return Number(pending) + Number(queued)
  }

  it('keeps nothing from being sent again, and none from being settled', async () => {
    const actionIds: string[] = []
    for (let count = 1; count <= 3; count++) actionIds.push(await payingAction(service.chains[0], url(), api))
    for (const [before, actionId] of actionIds.entries()) {
      await api.execute(actionId, 0, 0, undefined, 0)
      await until(async () => (await open().whereNotNull('sent_at')).length === before + 1, 'the step to be sent')
    }
    const error = { code: -32000, message: 'transaction indexing is in progress' }
    node().behave({
      kind: 'answer',
      answer: ({ method }) => (method === 'eth_getTransactionReceipt' ? { error } : null),
    })
    await rpc(url(), 'anvil_dropAllTransactions', [])
    expect(await pooled()).to.equal(0)
    await open().update({ due_at: 1 })
    await until(async () => (await pooled()) === actionIds.length, 'all of them in the pool again')

    await rpc(url(), 'evm_setAutomine', [true])
    await rpc(url(), 'evm_mine', [])
    for (const actionId of actionIds) {
      const step = `/actions/${actionId}/intents/0/steps/0`
      await until(async () => (await api.get(step)).body.status === 'success', step)
    }
  })
})
