import { expect } from 'chai'
import { concat, encodeErrorResult, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Chain } from '../../server/chain/chain.js'
import { decodeRevert } from '../../server/chain/failure.js'
import { lower } from './devChain.js'
import { devChainBehindNode } from './devChainBehindNode.js'

/** Anybody may have a contract say them. */
const reasons = ['method a not found', 'pending block not available', 'invalid bytecode']

/** How nodes put a reason into their error, with its data or without. */
const forms: [string, (reason: string) => object][] = [
  [
    'with code, text and data',
    (reason) => ({ code: 3, message: `execution reverted: ${reason}`, data: dataOf(reason) }),
  ],
  ['by the code alone', (reason) => ({ code: 3, message: reason })],
  ['by the data alone', (reason) => ({ code: -32000, message: reason, data: dataOf(reason) })],
  ['by data in an object', (reason) => ({ code: -32000, message: reason, data: { data: dataOf(reason) } })],
  ['by the text alone', (reason) => ({ code: -32000, message: `execution reverted: ${reason}` })],
]

describe('a revert whose reason reads like what a node can’t do', () => {
  const { dev, node, connect } = devChainBehindNode()
  let chain: Chain

  beforeEach(() => {
    node().behave({ kind: 'pass' })
    chain = connect()
  })

  const someone = () => lower(privateKeyToAccount(generatePrivateKey()).address)

  function simulate(to = someone()) {
    const request = { from: lower(dev().operator.address), to, data: '0x12345678' } as const
    return chain.simulate(request, {
      overrideDelegate: { account: someone(), delegate: dev().delegate },
      inCompany: false,
    })
  }

  /** The next simulation is asked for as of a node that has only just been met. */
  async function requireAllAbilities(): Promise<void> {
    const before = node().requests.length
    expect((await simulate()).outcome).to.equal('success')
    const asked = node().requests.slice(before).flat()
    const [run, estimate, ...more] = asked.filter(({ method }) => method !== 'eth_chainId')
    expect(run!.method).to.equal('eth_simulateV1')
    expect(run!.params[1]).to.equal('pending')
    expect(JSON.stringify(run!.params[0])).to.include('"0xef0100')
    expect(estimate!.method).to.equal('eth_estimateGas')
    expect(more).to.deep.equal([])
  }

  for (const reason of reasons) {
    it(`is a revert, and the node is asked for all that it can do ever after: "${reason}"`, async () => {
      const hostile = someone()
      // It hands back the hundred bytes that follow its own eleven.
      await dev().rpc('anvil_setCode', hostile, concat(['0x6064600b5f3960645ffd00', dataOf(reason)]))
      const simulation = await simulate(hostile)
      if (simulation.outcome !== 'reverted') throw new Error('it did not revert')
      expect(decodeRevert(simulation.data).message).to.equal(reason)
      await requireAllAbilities()
    })

    for (const [how, errorOf] of forms) {
      it(`is a revert where a node tells it ${how}: "${reason}"`, async () => {
        await requireAllAbilities()
        node().behave({ kind: 'answer', answer: () => ({ error: errorOf(reason) }) })
        expect((await simulate()).outcome).to.equal('reverted')
        node().behave({ kind: 'pass' })
        await requireAllAbilities()
      })
    }
  }
})

function dataOf(reason: string) {
  return encodeErrorResult({ abi: parseAbi(['error Error(string reason)']), errorName: 'Error', args: [reason] })
}
