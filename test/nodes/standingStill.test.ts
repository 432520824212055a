import { expect } from 'chai'
import { createChain } from '../../server/chain/createChain.js'
import { rpc } from '../../server/devnet/anvil.js'
import { type FaultyNode, type JsonCall, startFaultyNode } from '../chain/faultyNode.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { actionOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('a node that answers and stands still', function () {
  this.timeout(60_000)
  const nodes = new Map<number, FaultyNode[]>()
  const { service, api } = useServiceOnChains(async (chain) => {
    const pair = [await startFaultyNode(chain.rpcUrls[0]), await startFaultyNode(chain.rpcUrls[0])]
    // The chains are told of in no order.
    nodes.set(chain.chainId, pair)
    return { ...chain, rpcUrls: pair.map((node) => node.url), pollIntervalMs: 200, replaceAfterMs: 2_000 }
  })
  const upstream = () => nodeOf(0).upstream!
  const nodeOf = (index: number) => nodes.get(service.chains[0].chainId)![index]!
  const blocks = async (count: number) => {
    for (let mined = 0; mined < count; mined++) await rpc(upstream(), 'evm_mine', [])
  }
  afterEach(() => [...nodes.values()].flat().forEach((node) => node.behave({ kind: 'pass' })))
  after(() => Promise.all([...nodes.values()].flat().map((node) => node.stop())))

  const isHead = ({ method, params }: JsonCall) => method === 'eth_getBlockByNumber' && params[0] === 'latest'

  /** From now on it knows nothing newer than now, and says of what depends on the present what was true then. */
  async function freeze(node: FaultyNode): Promise<bigint> {
    const head = (await rpc(upstream(), 'eth_getBlockByNumber', ['latest', false])) as { number: string }
    node.behave({
      kind: 'answer',
      answer: (call) => {
        const [first] = call.params
        if (isHead(call)) return { result: head }
        if (call.method === 'eth_blockNumber') return { result: head.number }
        if (call.method === 'eth_getTransactionReceipt') return { result: null }
        if (call.method === 'eth_getTransactionByHash') return { result: null }
        const isBlock = call.method === 'eth_getBlockByNumber' || call.method === 'eth_getBlockReceipts'
        return isBlock && Number(first) > Number(head.number) ? { result: null } : null
      },
    })
    return BigInt(head.number)
  }

  /** Apart from the service's own. */
  const connect = () => createChain({ ...service.chains[0], rpcUrls: [nodeOf(0).url, nodeOf(1).url] })

  it('costs the others nothing while heads move, and one look each few seconds while they do not', async () => {
    const chain = connect()
    await chain.nodes()
    // Of the service, which asks of its own, and of this chain.
    const looks = () => nodeOf(1).requests.filter((calls) => calls.some(isHead)).length
    const before = looks()
    const end = performance.now() + 8_000
    await until(async () => (await chain.head()) && performance.now() > end, 'the time to pass', 10_000, 100)
    expect(looks() - before).to.be.below(6)
  })

  it('does not stop the chain, and health tells of it alone', async () => {
    const [a] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: 1n })
    const calls = [{ to: tokenOf(a, 'usd').address, value: 0n, data: transferData(a.vault, 1n) }]
    const { body } = await api.post('/actions', await actionOf(user, a, calls))
    await freeze(nodeOf(0))
    await api.execute(body.actionId as string, 0, 0, undefined, 0)
    await blocks(6)
    const isDone = async () => (await api.get(`/actions/${body.actionId}`)).body.status === 'success'
    await until(isDone, 'the step', 15_000)
    const { body: health } = await api.get('/health')
    const findings = (health.data as { findings: { code: string; chainId: number }[] }).findings
    expect(findings.filter(({ chainId }) => chainId === a.chainId).map(({ code }) => code)).to.deep.equal([
      'node_lagging',
    ])
  })

  it('is asked first again once it is as far as the others', async () => {
    const chain = connect()
    const frozenAt = await freeze(nodeOf(0))
    await blocks(6)
    await until(async () => (await chain.head()).number > frozenAt, 'the other node to be asked', 10_000, 200)
    nodeOf(0).behave({ kind: 'pass' })
    const unknown = `0x${'11'.repeat(32)}` as const
    const isFirstAsked = async () => {
      await chain.head()
      const before = nodeOf(0).requests.length
      await chain.transaction(unknown)
      return nodeOf(0)
        .requests.slice(before)
        .flat()
        .some(({ params }) => params[0] === unknown)
    }
    await until(isFirstAsked, 'the first node to be asked again', 15_000, 500)
  })

  it('does not take the head back when it is the only one left for a moment', async () => {
    const chain = connect()
    const before = (await chain.head()).number
    await freeze(nodeOf(1))
    await blocks(2)
    const newest = await chain.head()
    expect(newest.number > before).to.equal(true)
    nodeOf(0).behave({ kind: 'status', status: 500 })
    expect(await chain.head()).to.deep.equal(newest)
  })
})
