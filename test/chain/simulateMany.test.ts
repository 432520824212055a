import { expect } from 'chai'
import { isTight } from '../../server/chain/gasHints.js'
import { outcomes, type Run, succeeded, useSimulations } from './simulationScene.js'

describe('many simulations of a form that is not known', () => {
  const { dev, simulate, together, transfer } = useSimulations()

  const calls = (method: string) =>
    dev()
      .trips.flatMap(({ methods }) => methods)
      .filter((one) => one === method)

  async function many(count: number): Promise<Run[]> {
    const runs: Run[] = []
    while (runs.length < count) runs.push(await transfer(1n))
    dev().trips.length = 0
    return runs
  }

  it('ask for no more estimates than are under way at once', async () => {
    const runs = await many(60)
    const gas = (await together(runs, dev().connect({}))).map((one) => succeeded(one).gas)
    expect(calls('eth_estimateGas')).to.have.length.within(1, 20)
    const estimate = succeeded(await simulate(runs.at(-1)!, false)).gas
    // Less a few bytes of its data that are zero.
    const isEnough = (one: bigint) => one >= (estimate * 99n) / 100n && isTight(one, estimate)
    expect(gas.filter((one) => !isEnough(one))).to.deep.equal([])
  })

  it('tell of those that fail why they do, though their form is known when their turn comes', async () => {
    const runs = await many(40)
    const failing = [await transfer(101n), await transfer(102n)]
    const found = await together([...runs, ...failing], dev().connect({}))
    expect(outcomes(found)).to.deep.equal([...runs.map(() => 'success'), 'reverted', 'reverted'])
  })

  it('are estimated each where they are to be run by themselves', async () => {
    const runs = await many(30)
    const chain = dev().connect({})
    for (const one of await Promise.all(runs.map((run) => simulate(run, false, chain)))) succeeded(one)
    for (const method of ['eth_simulateV1', 'eth_estimateGas']) expect(calls(method)).to.have.length(30)
  })
})
