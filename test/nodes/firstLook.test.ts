import { expect } from 'chai'
import { rpc } from '../../server/devnet/anvil.js'
import type { JsonCall } from '../chain/faultyNode.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'
import { until } from '../support/until.js'
import { actionOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('a transaction that was just sent', function () {
  this.timeout(60_000)
  // Far longer than any of these steps may take.
  const { service, api, node } = useServiceBehindNode((chain) => ({ ...chain, pollIntervalMs: 20_000 }))

  /** Of an action with one step. */
  async function newAction(): Promise<string> {
    const [a] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: 1n })
    const calls = [{ to: tokenOf(a, 'usd').address, value: 0n, data: transferData(a.vault, 1n) }]
    const { body } = await api.post('/actions', await actionOf(user, a, calls))
    return body.actionId as string
  }

  const count = (isWanted: (call: JsonCall) => boolean) => node().requests.flat().filter(isWanted).length
  const heads = () => count(({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest')
  const sends = () => count(({ method }) => method === 'eth_sendRawTransaction')
  const isDone = async (id: string) => (await api.get(`/actions/${id}`)).body.status === 'success'

  it('is found long before the next poll where blocks are made at once', async () => {
    const id = await newAction()
    await api.execute(id, 0, 0, undefined, 0)
    await until(() => isDone(id), 'the step', 5_000)
  })

  it('is looked for again, ever later, until there is a block', async () => {
    const id = await newAction()
    const chain = node().upstream!
    await rpc(chain, 'evm_setAutomine', [false])
    const sent = sends()
    await api.execute(id, 0, 0, undefined, 0)
    await until(() => sends() > sent, 'it is sent')
    const before = heads()
    const looks = () => heads() - before
    await until(() => looks() >= 3, 'it has been looked for', 10_000)
    await rpc(chain, 'evm_setAutomine', [true])
    await rpc(chain, 'evm_mine', [])
    await until(() => isDone(id), 'the step', 10_000)
    expect(looks(), 'requests for the head').to.be.below(10)
  })

  it('is awaited together with others, so that a chain without a block is not asked anew for each', async () => {
    const ids: string[] = []
    while (ids.length < 12) ids.push(await newAction())
    const chain = node().upstream!
    await rpc(chain, 'evm_setAutomine', [false])
    const before = heads()
    for (const id of ids) {
      const sent = sends()
      await api.execute(id, 0, 0, undefined, 0)
      await until(() => sends() > sent, 'it is sent')
    }
    expect(heads() - before, 'requests for the head').to.be.below(8)
    await rpc(chain, 'evm_setAutomine', [true])
    await rpc(chain, 'evm_mine', [])
    await until(async () => (await Promise.all(ids.map(isDone))).every(Boolean), 'all steps')
  })

  it('is not looked for at a node that fails, whatever else is sent meanwhile', async () => {
    const ids: string[] = []
    while (ids.length < 15) ids.push(await newAction())
    const isHead = ({ method, params }: JsonCall) => method === 'eth_getBlockByNumber' && params[0] === 'latest'
    node().behave({
      kind: 'answer',
      answer: (call) => (isHead(call) ? { error: { code: -32005, message: 'limit exceeded' } } : null),
    })
    const before = heads()
    const execute = async (id: string) => {
      const sent = sends()
      await api.execute(id, 0, 0, undefined, 0)
      await until(() => sends() > sent, 'it is sent')
    }
    await execute(ids[0]!)
    await until(() => heads() > before, 'it has been looked for')
    const failed = heads()
    for (const id of ids.slice(1)) await execute(id)
    expect(heads() - failed, 'requests for the head').to.equal(0)
    node().behave({ kind: 'pass' })
    await until(async () => (await Promise.all(ids.map(isDone))).every(Boolean), 'all steps', 40_000)
  })
})
