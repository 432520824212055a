import { mock } from 'node:test'
import { expect } from 'chai'
import { isTight } from '../../server/chain/simulation/gasHints.js'
import { until } from '../support/until.js'
import { type Fault, type JsonCall, startFaultyNode } from './faultyNode.js'
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

  it('ask for an estimate of the first only, for which the others wait', async () => {
    const runs = await many(60)
    const gas = (await together(runs, dev().connect({}))).map((one) => succeeded(one).gas)
    expect(calls('eth_estimateGas')).to.have.length(1)
    const estimate = succeeded(await simulate(runs.at(-1)!, false)).gas
    // Less a few bytes of its data that are zero.
    const isEnough = (one: bigint) => one >= (estimate * 99n) / 100n && isTight(one, estimate)
    expect(gas.filter((one) => !isEnough(one))).to.deep.equal([])
  })

  it('ask for no more estimates than are under way at once where the first one fails', async () => {
    const runs = await many(60)
    const [failed, ...found] = await together([await transfer(101n), ...runs], dev().connect({}))
    expect(failed!.outcome).to.equal('reverted')
    for (const one of found) succeeded(one)
    expect(calls('eth_estimateGas')).to.have.length.within(2, 21)
  })

  it('don’t wait for long where the node takes too long for the first, which needs no estimate then', async () => {
    const node = await startFaultyNode(dev().url)
    try {
      const slow = await transfer(1n)
      const isSlow = ({ method, params }: JsonCall) =>
        method === 'eth_estimateGas' && (params[0] as { to: string }).to === slow.to
      node.behave((calls) => ({ kind: calls.some(isSlow) ? 'silence' : 'pass' }))
      const chain = dev().connect({ urls: [node.url] })
      const runs = await many(10)
      const first = simulate(slow, true, chain)
      const others = await together(runs, chain)
      for (const one of others) succeeded(one)
      expect(await Promise.race([first.catch(() => 'failed'), 'under way'])).to.equal('under way')
      const { gas, logs } = succeeded(await first)
      const estimated = succeeded(await simulate(slow, false))
      expect(logs).to.deep.equal(estimated.logs)
      expect(Number(gas) / Number(estimated.gas)).to.be.within(1, 1.15)
    } finally {
      await node.stop()
    }
  }).timeout(20_000)

  it('are done without an estimate only where it is late, and never where estimates hold more than is used', async () => {
    const node = await startFaultyNode(dev().url)
    try {
      const isEstimate = ({ method }: JsonCall) => method === 'eth_estimateGas'
      const more = { result: '0x100000' }
      const answers = { kind: 'answer', answer: (one: JsonCall) => (isEstimate(one) ? more : null) } as const
      const failure = async (fault: Fault) => {
        node.behave((calls) => (calls.some(isEstimate) ? fault : { kind: 'pass' }))
        return simulate(await transfer(1n), false, chain).then(String, (error: Error) => error.message)
      }
      const chain = dev().connect({ urls: [node.url] })
      expect(await failure({ kind: 'status', status: 503 })).to.include('HTTP 503')
      node.behave(answers)
      expect(succeeded(await simulate(await transfer(1n), false, chain)).gas).to.equal(0x100000n)
      expect(await failure({ kind: 'silence' })).to.include('timeout')
    } finally {
      await node.stop()
    }
  }).timeout(20_000)

  it('don’t wait for each other where no estimate says anything of the next', async () => {
    const node = await startFaultyNode(dev().url)
    let silent: Promise<unknown> | null = null
    try {
      let asked = 0
      const more = { result: '0x100000' }
      node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_estimateGas' && ++asked && more) || null })
      const chain = dev().connect({ urls: [node.url], readTimeoutMs: 60_000 })
      for (const one of await together(await many(2), chain)) succeeded(one)
      const runs = await many(10)
      // The first of them for ever, so that none can wait for it.
      const [first, ...others] = runs
      const isFirst = ({ params }: JsonCall) => JSON.stringify(params).includes(first!.to)
      asked = 0
      node.behave((calls) =>
        calls.some(isFirst)
          ? { kind: 'silence' }
          : { kind: 'answer', answer: ({ method }) => (method === 'eth_estimateGas' && ++asked && more) || null },
      )
      silent = simulate(first!, true, chain).catch(() => 'failed')
      await until(() => node.requests.flat().some(isFirst), 'the first to be asked for')
      const timers = mock.method(globalThis, 'setTimeout')
      for (const one of await together(others, chain)) succeeded(one)
      expect(asked).to.equal(others.length)
      // Whoever waited for it would do so for a second.
      expect(timers.mock.calls.map(({ arguments: [, delayMs] }) => delayMs)).to.not.include(1_000)
    } finally {
      mock.restoreAll()
      await node.stop()
    }
    expect(await silent).to.equal('failed')
  }).timeout(20_000)

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
