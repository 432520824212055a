import { expect } from 'chai'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { decodeRevert, startTestChain, type TestChain } from './chain.js'

describe('the set of executed batches', () => {
  let chain: TestChain
  let model: Address
  before(async () => {
    chain = await startTestChain()
    model = await chain.deploy('ExecutedBatchesModel')
  })
  after(() => chain.stop())

  type Answer = { result?: Hex; error?: { data?: Hex; message: string } }

  /** Runs the model from an empty set. It reverts as soon as the set says anything else than the model's plain list. */
  async function run(seed: number, steps: number, lifetime: number, pace: number) {
    const abi = chain.abiOf('ExecutedBatchesModel')
    const data = encodeFunctionData({ abi, functionName: 'run', args: [seed, steps, lifetime, pace].map(BigInt) })
    const params = [{ to: model, data, gas: '0x1c9c380' }, 'latest']
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
    const response = await fetch(chain.anvil.url, { method: 'POST', headers, body })
    const { result, error } = (await response.json()) as Answer
    if (result === undefined) {
      const revert = error?.data ? decodeRevert(error.data) : { name: error?.message, args: [] }
      throw new Error(`seed ${seed}: ${revert.name}(${revert.args.join(', ')})`)
    }
    const [most, repeated] = decodeFunctionResult({ abi, functionName: 'run', data: result }) as [bigint, bigint]
    return { most: Number(most), repeated: Number(repeated) }
  }

  for (const [traffic, lifetime, pace, atLeast] of [
    ['hardly any traffic', 600, 20_000, 1],
    ['as much as one word holds', 2_000, 2_000, 3],
    ['as much as all words hold', 6_000, 1_500, 12],
    ['more than all words hold', 40_000, 600, 30],
  ] as const) {
    it(`runs nothing twice, refuses nothing new and forgets nothing in time, with ${traffic}`, async () => {
      let most = 0
      let repeated = 0
      for (let seed = 1; seed <= 12; seed += 1) {
        const outcome = await run(seed, 160, lifetime, pace)
        most = Math.max(most, outcome.most)
        repeated += outcome.repeated
      }
      expect(most).to.be.at.least(atLeast)
      expect(repeated).to.be.greaterThan(100)
    })
  }
})
