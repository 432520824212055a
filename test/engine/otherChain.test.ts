import { expect } from 'chai'
import { keccak256 } from 'viem'
import { createApi } from '../support/api.js'
import { bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'
import { type Fault, type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'

describe('a chain that was exchanged for another one of the same id', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  let node: FaultyNode
  /** All else is as on the chain that is known. */
  const another: Fault = {
    kind: 'answer',
    answer: ({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x0'
        ? { result: { number: '0x0', hash: keccak256('0x01') } }
        : null,
  }

  before(async () => {
    node = await startFaultyNode(scene.a().rpcUrls[0]!)
  })
  after(() => node.stop())

  /** A step that is asked for on the first chain, whose nodes are these from then on. */
  async function askedFor(rpcUrls: string[]) {
    const [user] = await scene.users(1)
    const asked = await scene.ask([{ user: user!, intent: await scene.intentOf(user!, [scene.payVault(100n)]) }])
    const changed = scene.changedChains((chain, index) => {
      if (index === 0) chain.rpcUrls = rpcUrls
    })
    return { asked, changed }
  }

  it('keeps the service from starting', async () => {
    node.behave({ kind: 'pass' })
    const { changed } = await askedFor([node.url])
    node.behave(another)
    const refused = await scene.withService(changed, async () => 'started').catch((error: Error) => error.message)
    expect(refused).to.match(new RegExp(`^Chain ${scene.a().chainId} is not the chain that the database was made with`))
  })

  it('is left alone where that shows after the start, and named by /health, until the right one is back', async () => {
    const { asked, changed } = await askedFor([node.url])
    node.behave({ kind: 'silence' })
    await scene.withService(changed, async (service) => {
      const health = createApi(service.url!)
      node.behave(another)
      const report = await until(async () => {
        const { data } = (await health.get('/health')).body
        const findings = data.findings as { code: string; message: string }[]
        return findings.find(({ message }) => message.includes('another first block'))
      }, 'the chain to be named')
      expect(report.code).to.equal('chain_down')
      expect((await scene.views(service, asked))[0].status).to.equal('executing')
      expect(await scene.transactions(service)).to.deep.equal([])
      node.behave({ kind: 'pass' })
      expect((await scene.ends(service, asked))[0].status).to.equal('success')
    })
  })

  it('is not asked where another node is of the right one', async () => {
    const { asked, changed } = await askedFor([node.url, scene.a().rpcUrls[0]!])
    node.behave(another)
    await scene.withService(changed, async (service) => {
      expect((await scene.ends(service, asked))[0].status).to.equal('success')
      const { data } = (await createApi(service.url!).get('/health')).body
      const findings = data.findings as { code: string; message: string }[]
      expect(findings.map(({ code }) => code)).to.deep.equal(['node_down'])
      expect(findings[0]!.message).to.include('another first block')
    })
  })
})
