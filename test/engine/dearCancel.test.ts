import { expect } from 'chai'
import { type Hex, parseTransaction, toHex } from 'viem'
import { type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'
import { bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'

/** As on Arbitrum, where a transaction pays in gas for its data as well, by prices of another chain. */
describe('a chain on which doing nothing takes more than 21,000 gas', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  /** What it takes while all is as usual. */
  const usual = 30_000n
  let node: FaultyNode
  let needed = usual
  const sent: { nonce: number | undefined; gas: bigint | undefined; isTaken: boolean }[] = []

  before(async () => {
    node = await startFaultyNode(scene.a().rpcUrls[0]!)
    node.behave({
      kind: 'answer',
      answer({ method, params }) {
        if (method === 'eth_estimateGas') {
          const { from, to } = params[0] as { from?: Hex; to?: Hex }
          return from !== undefined && from === to ? { result: toHex(needed) } : null
        }
        if (method !== 'eth_sendRawTransaction') return null
        const { gas, nonce } = parseTransaction(params[0] as Hex)
        const isTaken = gas! >= needed
        sent.push({ nonce, gas, isTaken })
        return isTaken ? null : { error: { code: -32000, message: 'intrinsic gas too low' } }
      },
    })
  })
  after(() => node.stop())

  it('holds up no lane when a step was refused there: its nonce is used up with as much as that takes', async () => {
    const [one, two] = await scene.users(2)
    const asked = await scene.ask([{ user: one!, intent: await scene.intentOf(one!, [scene.payVault(100n)]) }])
    const changed = scene.changedChains((chain, index) => {
      if (index === 0) Object.assign(chain, { rpcUrls: [node.url], replaceAfterMs: 2_000 })
    })
    // Prices rise between the simulation of the step and its sending, and still when it is cancelled.
    needed = 10_000_000n
    await scene.withService({ ...changed, BUNDLE_WAIT_MS: '5' }, async (service) => {
      await until(() => sent.length > 0, 'the step to be refused')
      needed = usual
      const intent = await scene.intentOf(two!, [scene.payVault(100n)])
      const later = await scene.askOf(service, [{ user: two!, intent }])
      expect((await scene.ends(service, later))[0].status).to.equal('success')
      const [ended] = await scene.ends(service, asked)
      expect(ended.error, JSON.stringify(ended)).to.include({ code: 'transaction_cancelled', retryable: true })
      expect((await scene.again(service, asked[0]!)).status).to.equal('success')
    })
    const refused = sent.find(({ isTaken }) => !isTaken)!
    const cancels = sent.filter(({ nonce, isTaken }) => nonce === refused.nonce && isTaken)
    expect(cancels[0]?.gas).to.be.oneOf([usual, 10_000_000n].map((gas) => (gas * 3n) / 2n))
  })
})
