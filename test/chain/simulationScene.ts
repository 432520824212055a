import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Chain, Simulation } from '../../server/chain/chain.js'
import { encodeExecute, encodeFulfill } from '../../server/chain/contracts.js'
import type { ChainBatch } from '../../server/domain/action.js'
import { type DevChain, lower, randomKey, signIntent, startDevChain, transferBatch } from './devChain.js'

/** What is to be simulated. `borrower`: the account that is to have the delegate's code while it runs. */
export type Run = { to: Address; data: Hex; borrower: Address | null }

/** Whom the tokens of all runs go to. */
export const recipient: Address = `0x${'78'.repeat(20)}`

/** A chain for all tests of a `describe`, there from its `before` on, and what they simulate on it. */
export function useSimulations() {
  let dev: DevChain
  before(async () => {
    dev = await startDevChain()
  })
  after(() => dev.stop())

  function simulate({ to, data, borrower }: Run, inCompany = true, chain: Chain = dev.chain): Promise<Simulation> {
    const overrideDelegate = borrower && { account: borrower, delegate: dev.delegate }
    return chain.simulate({ from: lower(dev.operator.address), to, data }, { overrideDelegate, inCompany })
  }

  return {
    dev: () => dev,
    simulate,
    together: (runs: readonly Run[], chain?: Chain) => Promise.all(runs.map((run) => simulate(run, true, chain))),

    /** A new user who moves some of his 100 tokens. */
    async transfer(amount: bigint, to = recipient, more: ChainBatch['calls'] = []) {
      const user = privateKeyToAccount(generatePrivateKey())
      const address = lower(user.address)
      await dev.mint(address, 100n)
      const plain = transferBatch(address, dev.token, to, amount)
      const batch = { ...plain, calls: [...plain.calls, ...more] }
      const data = encodeExecute(await signIntent(user, [batch]), 0)
      return { to: address, data, borrower: address, batch }
    },

    /** The vault pays. */
    payout(amount: bigint): Run {
      const transfers = [{ to: recipient, token: dev.token, amount }]
      const call = { stepKey: randomKey('payout'), transfers, account: null, intent: null, stepIndex: 0 }
      return { to: dev.vault, data: encodeFulfill(call), borrower: null }
    },
  }
}

export function succeeded(simulation: Simulation | undefined): Extract<Simulation, { outcome: 'success' }> {
  if (simulation?.outcome !== 'success') throw new Error('it did not succeed')
  return simulation
}

export const outcomes = (simulations: readonly Simulation[]) => simulations.map(({ outcome }) => outcome)
