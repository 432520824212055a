import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import type { SignedIntent } from '../../server/domain/action.js'
import type { Chain, FoundLog } from '../../server/chain/chain.js'
import * as bundles from '../../server/chain/bundles.js'
import * as contracts from '../../server/chain/contracts.js'
import { transferTopic, vaultArrivals } from '../../server/chain/transfers.js'
import { adoptExecution } from '../../server/engine/outcomes/adoptExecution.js'
import type { StepError } from '../../server/domain/errors.js'
import { executeStep } from '../../server/engine/steps/executeStep.js'
import { createLanesChecked } from '../../server/engine/lanes/lanesChecked.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { StepWork } from '../../server/store/actions/steps.js'
import { aBatch, aSignedIntent, aTransfer, randomAddress, randomHash, usdOn1, usdOn2 } from '../support/builders.js'

/** A chain on which somebody has executed the batch, which brought `amount` into the vault. */
function executedByOthers(given: {
  amount: bigint
  confirmations: bigint
  isCertain: boolean
  isLogged?: boolean
  /** False where it is in no block yet, and where the account has given its delegate up since. */
  isProcessed?: boolean
  isPending?: boolean
}) {
  const [user, vault] = [randomAddress(), randomAddress()]
  const head = 4n + given.confirmations
  const hash = randomHash()
  const word = (address: Address) => `0x${address.slice(2).padStart(64, '0')}`
  const log = {
    address: usdOn1,
    topics: [transferTopic, word(user), word(vault)],
    data: `0x${given.amount.toString(16).padStart(64, '0')}`,
    logIndex: 0,
  }
  const receipt = { hash, blockNumber: 5n, blockHash: randomHash(), status: 'success', logs: [log] }
  const token = { address: usdOn1, confirmations: [{ amount: 1_000n, confirmations: 12 }] }
  const chain = {
    config: { chainId: 1, vault, confirmations: 3, tokens: [token] },
    findExecution: async () => (given.isLogged === false ? null : hash),
    // By a node that has the head: one behind does not know it yet.
    isChainBatchProcessed: async (_account: Address, _batchId: Hash, since?: bigint) =>
      since === head && (given.isProcessed ?? true),
    isChainBatchPending: async () => given.isPending ?? false,
    transaction: async () => ({ transaction: {}, receipt, head: { number: head } }),
    isCertain: async () => given.isCertain,
    measureArrivals: async (logged: { amount: bigint }[]) => logged.map(({ amount }) => amount),
  } as unknown as Chain
  const work = {
    ref: { stepIndex: 0 },
    kind: 'delegated',
    user,
    intent: aSignedIntent(),
    batch: aBatch(),
    view: { requiredConfirmations: 3 },
  } as unknown as StepWork
  const heads = new Map([[1, { number: head }]])
  const tools = { codec: { ...contracts, vaultArrivals }, heads } as unknown as EngineTools
  return adoptExecution(work, chain, 'run', tools)
}

describe('taking what someone else has executed for done', () => {
  it('happens as soon as it is final', async () => {
    const adoption = await executedByOthers({ amount: 10n, confirmations: 3n, isCertain: true })
    expect(adoption.outcome).to.equal('ended')
  })

  it('happens although the account says nothing of it any more', async () => {
    const adoption = await executedByOthers({ amount: 10n, confirmations: 3n, isCertain: true, isProcessed: false })
    expect(adoption.outcome).to.equal('ended')
  })

  it('waits while nothing but the pending block has it, and ends where a block has it and no log is found', async () => {
    const unlogged = { amount: 10n, confirmations: 3n, isCertain: true, isLogged: false }
    const unmined = { ...unlogged, isProcessed: false }
    expect((await executedByOthers({ ...unmined, isPending: true })).outcome).to.equal('waits')
    // It runs only within what has been simulated.
    expect((await executedByOthers({ ...unmined, isPending: false })).outcome).to.equal('none')
    const adoption = await executedByOthers({ ...unlogged, isProcessed: true })
    if (adoption.outcome !== 'ended' || adoption.result.status !== 'error') throw new Error(adoption.outcome)
    expect(adoption.result.error).to.include({ code: 'already_fulfilled', retryable: true })
  })

  it('waits for the nodes to agree on it', async () => {
    const adoption = await executedByOthers({ amount: 10n, confirmations: 3n, isCertain: false })
    expect(adoption.outcome).to.equal('waits')
  })

  it('waits longer when a large amount came with it, declared or not', async () => {
    const early = await executedByOthers({ amount: 1_000n, confirmations: 11n, isCertain: true })
    expect(early.outcome).to.equal('waits')
    const late = await executedByOthers({ amount: 1_000n, confirmations: 12n, isCertain: true })
    expect(late.outcome).to.equal('ended')
  })
})

describe('taking a payout for done that the vault has made unasked', () => {
  it('leaves what the user has paid in the same transaction to the step that it was paid in', async () => {
    const [user, vault] = [randomAddress(), randomAddress()]
    const [hash, stepKey] = [randomHash(), randomHash()]
    const transfers = [aTransfer({ to: user })]
    const input = contracts.encodeFulfill({ stepKey, transfers, account: null, intent: null, stepIndex: 1 })
    const word = (address: Address) => `0x${address.slice(2).padStart(64, '0')}`
    const amount = `0x${'1'.padStart(64, '0')}`
    const logs = [
      { address: usdOn2, topics: [transferTopic, word(user), word(vault)], data: amount, logIndex: 0 },
      { address: vault, topics: [contracts.fulfilledTopic, stepKey], data: '0x', logIndex: 1 },
    ]
    const receipt = { hash, blockNumber: 5n, blockHash: randomHash(), status: 'success', logs }
    const chain = {
      config: { chainId: 2, vault, confirmations: 1, tokens: [{ address: usdOn2, confirmations: [] }] },
      findFulfilment: async () => hash,
      transaction: async () => ({ transaction: { to: vault, input }, receipt, head: { number: 9n } }),
      isCertain: async () => true,
      measureArrivals: async (logged: { amount: bigint }[]) => logged.map((arrival) => arrival.amount),
    } as unknown as Chain
    const intent = { mode: 'non-7702:on-demand' }
    const view = { requiredConfirmations: 1 }
    const batch = aBatch({ chainId: 2, tokenTransfers: transfers })
    const work = { kind: 'fulfilment', user, intent, batch, stepKey, view } as unknown as StepWork
    const tools = { codec: { ...contracts, ...bundles, vaultArrivals } } as unknown as EngineTools
    const adoption = await adoptExecution(work, chain, 'paid', tools)
    if (adoption.outcome !== 'ended') throw new Error(adoption.outcome)
    expect(adoption.result).to.deep.include({ status: 'success', transactionHash: hash, arrivals: [] })
  })
})

describe('a payout with calls whose intent has run out', () => {
  const head = 7n

  /** Its visit, where the vault has paid it or not, and no node has a log of it. */
  async function visited(
    isFulfilled: boolean,
    {
      lateMs = 1_000_000,
      chainTime = 2n ** 40n,
      search = null as FoundLog,
      hasRun = false,
      refusal = null as StepError | null,
      areLanesChecked = true,
    } = {},
  ) {
    const [user, vault] = [randomAddress(), randomAddress()]
    const token = { address: usdOn2, decimals: 6, group: null, openCapPerDay: null }
    const config = { chainId: 2, vault, pollIntervalMs: 100, tokens: [token] }
    const chain = { config, isFulfilled: async () => isFulfilled, findFulfilment: async () => null }
    const account = {
      findExecution: async () => search,
      async isChainBatchProcessed(_account: Address, _batchId: Hash, since?: bigint) {
        // By a node that has the head: one behind does not know it yet.
        return since === head && hasRun
      },
    }
    const unlogged = { ...chain, ...account } as unknown as Chain
    const transfer = aTransfer({ to: user })
    const batch = aBatch({ chainId: 2, hash: randomHash(), tokenTransfers: [transfer] })
    const intent = aSignedIntent([batch]) as SignedIntent
    const work = {
      ref: { actionId: 'an action', intentIndex: 0, stepIndex: 0 },
      kind: 'delegated',
      user,
      intent,
      batch,
      stepKey: null,
      view: { chainId: 2, requiredConfirmations: 1 },
    } as unknown as StepWork
    const ended: string[] = []
    const lanesChecked = createLanesChecked()
    if (areLanesChecked) lanesChecked.add(2)
    const tools = {
      now: () => intent.exp * 1000 + lateMs,
      heads: new Map([[2, { number: head, timestamp: chainTime }]]),
      chains: new Map([[2, unlogged]]),
      settings: { chains: new Map([[2, config]]), groups: {}, funders: new Set() },
      signers: new Map([[randomAddress(), null]]),
      refusedOperators: new Map(),
      codec: { ...contracts, encodeFulfill: () => '0x' },
      bundles: { expect: () => () => undefined },
      accounts: { freed: async () => undefined },
      log: { warn: () => undefined, info: () => undefined },
      tellSeldom: () => undefined,
      lanesChecked,
      countStep: () => undefined,
      changed: () => undefined,
      store: {
        reserveForStep: async () => ({ outcome: 'reserved' }),
        fixStepKey: async () => true,
        settleStep: async (_work: StepWork, result: { error: { code: string } }) => {
          ended.push(result.error.code)
          return 'settled'
        },
      },
    } as unknown as EngineTools
    const { outcome } = await executeStep(work, { payment: null, refusal }, tools)
    return { outcome, ended }
  }

  it('keeps its credit while the vault says that it was paid, though no node has the log', async () => {
    expect(await visited(true)).to.deep.equal({ outcome: 'waits', ended: [] })
  })

  it('keeps it too while it is refused for the step before it', async () => {
    const refusal = { code: 'previous_step_failed', message: 'no', retryable: true } as const
    expect(await visited(true, { refusal })).to.deep.equal({ outcome: 'waits', ended: [] })
    expect(await visited(false, { refusal })).to.deep.equal({ outcome: 'moved', ended: ['previous_step_failed'] })
  })

  it('ends as done where the account has run it, though it is refused for the step before it', async () => {
    const refusal = { code: 'previous_step_failed', message: 'no', retryable: true } as const
    const done = { outcome: 'moved', ended: ['already_fulfilled'] }
    expect(await visited(false, { refusal, hasRun: true })).to.deep.equal(done)
  })

  it('is not refused before the lanes of its chain are checked, since the database may be older than the chain', async () => {
    const refusal = { code: 'previous_step_failed', message: 'no', retryable: true } as const
    const waits = { outcome: 'waits', ended: [] }
    expect(await visited(false, { refusal, areLanesChecked: false })).to.deep.equal(waits)
    expect(await visited(false, { areLanesChecked: false })).to.deep.equal(waits)
  })

  it('waits while its chain’s clock gives it time, though ours does not', async () => {
    const waits = { outcome: 'waits', ended: [] }
    expect(await visited(false, { lateMs: 5_000, chainTime: 0n })).to.deep.equal(waits)
  })

  it('ends on a chain that stands still', async () => {
    const ends = { outcome: 'moved', ended: ['intent_expired'] }
    expect(await visited(false, { lateMs: 15_000, chainTime: 0n })).to.deep.equal(ends)
    expect(await visited(false, { lateMs: 5_000 })).to.deep.equal(ends)
  })

  it('ends where nodes let too little be searched and the account knows nothing of it', async () => {
    expect(await visited(false, { search: 'unsearched' })).to.deep.equal({
      outcome: 'moved',
      ended: ['intent_expired'],
    })
  })

  it('ends as done where the account says that it has run it, though nodes have no log or let too little be searched', async () => {
    const done = { outcome: 'moved', ended: ['already_fulfilled'] }
    expect(await visited(false, { search: null, hasRun: true })).to.deep.equal(done)
    expect(await visited(false, { search: 'unsearched', hasRun: true })).to.deep.equal(done)
  })

  it('ends where nobody has carried it out', async () => {
    expect(await visited(false)).to.deep.equal({ outcome: 'moved', ended: ['intent_expired'] })
  })
})
