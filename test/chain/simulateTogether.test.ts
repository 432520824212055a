import { expect } from 'chai'
import type { Address, Hex } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { decodeRevert } from '../../server/chain/failure.js'
import { gasLimit } from '../../server/chain/gas.js'
import { loadConfig } from '../../server/config/config.js'
import { matchTransfers } from '../../server/chain/transfers.js'
import type { DevChain } from './devChain.js'
import { type FaultyNode, type JsonCall, startFaultyNode } from './faultyNode.js'
import { outcomes, recipient, type Run, succeeded, useSimulations } from './simulationScene.js'

describe('simulations that come together', () => {
  const scene = useSimulations()
  const { transfer, payout, simulate, together } = scene
  let dev: DevChain
  before(() => {
    dev = scene.dev()
  })

  it('share a request, and each is told what it would move and what gas it takes by itself', async () => {
    const chain = dev.connect({})
    await together([await transfer(1n)], chain)
    const runs = [await transfer(10n), await transfer(20n), await transfer(30n)]
    const before = dev.trips.length
    const found = await together(runs, chain)
    expect(dev.trips.slice(before).map(({ methods }) => methods)).to.deep.equal([Array(5).fill('eth_simulateV1')])
    for (const [index, run] of runs.entries()) {
      const { gas, logs } = succeeded(found[index])
      expect(matchTransfers(run.batch, logs!)).to.equal(null)
      // The first of them is who makes the recipient a holder, which costs the most; each of
      // them may come to be the first.
      const estimate = succeeded(await simulate(run, false)).gas
      expect(gas >= estimate && gas < (estimate * 12n) / 10n, `${gas} beside ${estimate}`).to.equal(true)
    }
  })

  it('are two requests when they are as many as a bundle has by default', async () => {
    const loaded = loadConfig({})
    const most = loaded.ok ? loaded.config.bundling.maxSteps : 0
    const chain = dev.connect({})
    await together([await transfer(1n)], chain)
    const runs: Run[] = []
    while (runs.length < most) runs.push(await transfer(1n))
    dev.trips.length = 0
    for (const one of await together(runs, chain)) succeeded(one)
    expect(dev.trips.flatMap(({ methods }) => methods)).to.deep.equal(Array(most + 2).fill('eth_simulateV1'))
    expect(dev.trips).to.have.length(2)
  })

  it('ask for an estimate of the first of their form only, though it comes by itself', async () => {
    const chain = dev.connect({})
    const methodsOf = async (runs: Run[]) => {
      dev.trips.length = 0
      for (const one of await together(runs, chain)) succeeded(one)
      return dev.trips.flatMap(({ methods }) => methods)
    }
    // Data costs the more the fewer of its bytes are zero.
    const withData = (byte: string) =>
      transfer(1n, recipient, [{ to: recipient, value: 0n, data: `0x${byte.repeat(96)}` }])
    expect(await methodsOf([await withData('00')])).to.include('eth_estimateGas')
    expect(await methodsOf([await withData('ff')])).to.deep.equal(['eth_simulateV1', 'eth_simulateV1'])
  })

  it('are as many in one request as nodes take where they are long', async () => {
    const chain = dev.connect({})
    const long = () => transfer(1n, recipient, [{ to: recipient, value: 0n, data: `0x${'a1'.repeat(60_000)}` }])
    succeeded(await simulate(await long(), true, chain))
    const runs: Run[] = []
    while (runs.length < 20) runs.push(await long())
    dev.trips.length = 0
    for (const one of await together(runs, chain)) succeeded(one)
    expect(dev.trips.map(({ outcome }) => outcome)).to.deep.equal(dev.trips.map(() => 'answered'))
    const estimates = dev.trips.flatMap(({ methods }) => methods).filter((method) => method === 'eth_estimateGas')
    expect(estimates).to.have.length.within(1, 19)
  }).timeout(60_000)

  it('ask for an estimate of what wants much more gas than it uses', async () => {
    // Reverts where not more than a million is left, and uses next to nothing.
    const hoarder: Address = `0x${'79'.repeat(20)}`
    await dev.rpc('anvil_setCode', hoarder, '0x5a620f424010600e5760006000fd5b00')
    const chain = dev.connect({})
    const gasOf = async (target: Address) => {
      const run = await transfer(1n, recipient, [{ to: target, value: 0n, data: '0x' }])
      return succeeded(await simulate(run, true, chain)).gas
    }
    // All of one form, so that what was enough for one is too much or too little for the next.
    for (const target of [recipient, hoarder, recipient, hoarder]) {
      const gas = await gasOf(target)
      expect(target === hoarder ? gas > 1_000_000n : gas < 200_000n, `${gas}`).to.equal(true)
    }
  })

  it('don’t starve what goes on when it was out of gas by what another took', async () => {
    for (const company of [1, 2]) {
      const chain = dev.connect({})
      const place = async (tag: string, loops: number) => {
        const [inner, outer] = [`0x${tag.repeat(20)}`, `0x${tag.repeat(19)}ff`] as [Address, Address]
        // Burns 26 gas a loop. And: calls it with all the gas that there is, and goes on whatever came of that.
        await dev.rpc('anvil_setCode', inner, `0x62${loops.toString(16).padStart(6, '0')}5b60019003806004575f5f5500`)
        await dev.rpc('anvil_setCode', outer, `0x5f5f5f5f5f73${inner.slice(2)}5af15000`)
        return outer
      }
      const [light, heavy] = [await place(`a${company}`, 20_000), await place(`b${company}`, 60_000)]
      const visit = (to: Address) => transfer(1n, recipient, [{ to, value: 0n, data: '0x' }])
      succeeded(await simulate(await visit(light), true, chain))
      const run = await visit(heavy)
      const others = company === 1 ? [] : [await visit(light)]
      const [found] = await together([run, ...others], chain)
      const alone = succeeded(await simulate(run, false, dev.connect({})))
      expect(succeeded(found).gas >= alone.gas, `${succeeded(found).gas} beside ${alone.gas}`).to.equal(true)
    }
  })

  describe('of which one wants more gas for what comes before it, and would go on without,', () => {
    // Counts down from the number in its first slot, then sets the second; given data it sets that number instead.
    const countdown: Hex = '0x3615600b575f355f5500005b5f545b6001900380600e57600160015500'
    let tag = 0
    let [inner, outer]: Address[] = []
    let chain: Chain
    const word = (count: number): Hex => `0x${count.toString(16).padStart(64, '0')}`
    const visit = () => transfer(1n, recipient, [{ to: outer!, value: 0n, data: '0x' }])
    const setTo = (count: number) => transfer(1n, recipient, [{ to: inner!, value: 0n, data: word(count) }])
    const gasOf = async (run: Run) => succeeded(await simulate(run, true, chain)).gas
    // With the limit that it makes, the countdown from 60,000 comes to its end, at 26 gas a round and a 64th kept back.
    const enough = 1_600_000n

    beforeEach(async () => {
      tag += 1
      inner = `0x${'c1'.repeat(19)}0${tag}`
      outer = `0x${'c2'.repeat(19)}0${tag}`
      await dev.rpc('anvil_setCode', inner, countdown)
      // Calls it with all the gas that there is, and goes on whatever came of that.
      await dev.rpc('anvil_setCode', outer, `0x5f5f5f5f5f73${inner.slice(2)}5af15000`)
      await dev.rpc('anvil_setStorageAt', inner, word(0), word(20_000))
      chain = dev.connect({})
      expect((await gasOf(await visit())) < enough, 'what it takes before').to.equal(true)
    })

    for (const company of [1, 2]) {
      it(`are told what it takes after what waits for the next block (${company} together)`, async () => {
        const runs = company === 1 ? [await visit()] : [await visit(), await visit()]
        await dev.rpc('evm_setAutomine', false)
        try {
          const waiting = { from: dev.owner.address, to: inner, gas: '0x20000', data: word(60_000) }
          await dev.rpc('eth_sendTransaction', waiting)
          for (const one of await together(runs, chain)) expect(succeeded(one).gas >= enough).to.equal(true)
        } finally {
          await dev.rpc('evm_setAutomine', true)
          await dev.rpc('evm_mine')
        }
      })
    }

    it('are told what it takes after those that come with it', async () => {
      await gasOf(await setTo(30_000))
      const [, found] = await together([await setTo(60_000), await visit()], chain)
      expect(succeeded(found).gas >= enough, `${succeeded(found).gas}`).to.equal(true)
    })
  })

  it('are not given room beyond what a transaction may have', async () => {
    const target: Address = `0x${'7a'.repeat(20)}`
    // Burns 15.5 million.
    await dev.rpc('anvil_setCode', target, `0x62${(595_000).toString(16).padStart(6, '0')}5b60019003806004575f5f5500`)
    const chain = dev.connect({})
    for (const time of ['first', 'second', 'third']) {
      const run = await transfer(1n, recipient, [{ to: target, value: 0n, data: '0x' }])
      const { gas } = succeeded(await simulate(run, true, chain))
      expect(gasLimit({ estimate: gas, authorizations: 1 }) <= 16_777_216n, `the ${time}: ${gas}`).to.equal(true)
    }
  })

  it('tell of one that fails why it does, and of the others that they don’t', async () => {
    const found = await together([await transfer(1n), await transfer(101n), await transfer(2n)])
    expect(outcomes(found)).to.deep.equal(['success', 'reverted', 'success'])
    const [, failed] = found
    if (failed?.outcome !== 'reverted') throw new Error('it did not fail')
    expect(decodeRevert(failed.data).message).to.include('ERC20InsufficientBalance')
  })

  it('tell of none that it fails for what the others have taken', async () => {
    const [all] = await dev.chain.balances(dev.vault, [dev.token])
    expect(outcomes(await together([payout(all!), payout(all!)]))).to.deep.equal(['success', 'success'])
    expect(outcomes(await together([payout(all! + 1n), payout(all!)]))).to.deep.equal(['reverted', 'success'])
  })

  it('tell of none that it succeeds for what the others have given', async () => {
    const spender = await transfer(101n)
    const missing = await transfer(1n, spender.to)
    expect(outcomes(await together([missing, spender]))).to.deep.equal(['success', 'reverted'])
  })

  it('of one account don’t run one after the other, and the rest go on together', async () => {
    const chain = dev.connect({})
    await together([await transfer(1n)], chain)
    const [run, ...others] = [await transfer(1n), await transfer(1n), await transfer(1n)]
    dev.trips.length = 0
    // The second of the same batch would be refused as a duplicate.
    expect(outcomes(await together([run!, run!, ...others], chain))).to.deep.equal(Array(4).fill('success'))
    expect(dev.trips.map(({ methods }) => methods)).to.deep.equal([
      Array(5).fill('eth_simulateV1'),
      ['eth_simulateV1', 'eth_estimateGas'],
    ])
  })

  describe('on a node that', () => {
    let node: FaultyNode
    beforeEach(async () => {
      node = await startFaultyNode(dev.url)
    })
    afterEach(() => node.stop())

    const callsOf = ({ params }: JsonCall) =>
      (params[0] as { blockStateCalls: { calls: unknown[] }[] }).blockStateCalls[0]!.calls

    const refusal = { error: { code: -38015, message: 'block gas limit exceeded by the block’s transactions' } }
    const answers: [string, Record<string, unknown>][] = [
      ['refuses so many', refusal],
      ['takes too long for so many', { error: { code: -32000, message: 'execution aborted (timeout = 5s)' } }],
      ['answers for the first only', { result: [{ calls: [{ status: '0x1', gasUsed: '0x5208', logs: [] }] }] }],
      ['answers nonsense', { result: null }],
    ]
    for (const [what, answer] of answers) {
      it(`${what} are run by themselves`, async () => {
        node.behave({
          kind: 'answer',
          answer: (call) => (call.method === 'eth_simulateV1' && callsOf(call).length > 1 ? answer : null),
        })
        const chain = dev.connect({ urls: [node.url] })
        const runs = [await transfer(1n), await transfer(2n), await transfer(101n)]
        const found = await together(runs, chain)
        expect(outcomes(found)).to.deep.equal(['success', 'success', 'reverted'])
        for (const index of [0, 1]) {
          expect(matchTransfers(runs[index]!.batch, succeeded(found[index]).logs!)).to.equal(null)
        }
      })
    }

    it('refuses so many is asked once for those it could know, then for each', async () => {
      const chain = dev.connect({ urls: [node.url] })
      await together([await transfer(1n)], chain)
      let refused = 0
      node.behave({
        kind: 'answer',
        answer: (call) => {
          if (call.method !== 'eth_simulateV1' || callsOf(call).length === 1) return null
          refused += 1
          return refusal
        },
      })
      expect(outcomes(await together([await transfer(1n), await transfer(2n)], chain))).to.deep.equal([
        'success',
        'success',
      ])
      // With the gas that was enough, and with all that they want.
      expect(refused).to.equal(2)
    })

    it('has too little gas in a block for all of them needs no estimates', async () => {
      // 40,000 loops of 26 gas.
      const burner: Address = `0x${'7a'.repeat(20)}`
      await dev.rpc('anvil_setCode', burner, '0x62009c405b60019003806004575f5f5500')
      const chain = dev.connect({ urls: [node.url] })
      const burn = () => transfer(1n, recipient, [{ to: burner, value: 0n, data: '0x' }])
      const { gas } = succeeded(await simulate(await burn(), true, chain))
      let estimates = 0
      node.behave({
        kind: 'answer',
        answer(call) {
          if (call.method === 'eth_estimateGas') estimates += 1
          return call.method === 'eth_simulateV1' && BigInt(callsOf(call).length) * gas > 30_000_000n ? refusal : null
        },
      })
      const runs: Run[] = []
      while (runs.length < 40) runs.push(await burn())
      for (const one of await together(runs, chain)) succeeded(one)
      expect(estimates).to.equal(0)
    }).timeout(60_000)

    it('refuses so many estimates those too that found their form known when their turn came', async () => {
      node.behave({
        kind: 'answer',
        answer: (call) => (call.method === 'eth_simulateV1' && callsOf(call).length > 1 ? refusal : null),
      })
      const runs: Run[] = []
      while (runs.length < 30) runs.push(await transfer(1n))
      for (const one of await together(runs, dev.connect({ urls: [node.url] }))) succeeded(one)
    })

    it('minds no limit is not believed that less than was used is enough', async () => {
      const chain = dev.connect({ urls: [node.url] })
      succeeded(await simulate(await transfer(1n), true, chain))
      const used = { result: [{ calls: [{ status: '0x1', gasUsed: '0x1a0000', returnData: '0x', logs: [] }] }] }
      node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_simulateV1' ? used : null) })
      expect(succeeded(await simulate(await transfer(1n), true, chain)).gas >= 0x1a0000n).to.equal(true)
    })

    it('charges for data more than before is asked again for each form in a while', async () => {
      let dataGas = 0n
      const ofOneself = succeeded(await simulate(await transfer(1n), false)).gas
      node.behave({
        kind: 'answer',
        answer: ({ method }) =>
          method === 'eth_estimateGas' ? { result: `0x${(ofOneself + dataGas).toString(16)}` } : null,
      })
      const found: bigint[] = []
      const chain = dev.connect({ urls: [node.url] })
      for (dataGas of [15_000n, 200_000n]) found.push(succeeded(await simulate(await transfer(1n), true, chain)).gas)
      expect(found).to.deep.equal([ofOneself + 15_000n, ofOneself + 200_000n])
    })

    it('estimates more than is used, as where data has a price of its own, is asked for each', async () => {
      node.behave({
        kind: 'answer',
        answer: ({ method }) => (method === 'eth_estimateGas' ? { result: '0x100000' } : null),
      })
      const chain = dev.connect({ urls: [node.url] })
      for (const runs of [[await transfer(1n)], [await transfer(1n), await transfer(1n)]]) {
        const found = await together(runs, chain)
        expect(found.map((one) => succeeded(one).gas)).to.deep.equal(runs.map(() => 0x100000n))
      }
    })

    it('knows no eth_simulateV1 are run by themselves', async () => {
      node.behave({
        kind: 'answer',
        answer: ({ method }) =>
          method === 'eth_simulateV1' ? { error: { code: -32601, message: 'method eth_simulateV1 not found' } } : null,
      })
      const chain = dev.connect({ urls: [node.url] })
      const found = await together([await transfer(1n), await transfer(101n)], chain)
      expect(outcomes(found)).to.deep.equal(['success', 'reverted'])
      expect(succeeded(found[0]).logs).to.equal(null)
    })
  })
})
