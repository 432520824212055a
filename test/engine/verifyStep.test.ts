import { expect } from 'chai'
import type { Address } from 'viem'
import { verifyStep } from '../../server/engine/steps/verifyStep.js'
import type { StepRef } from '../../server/domain/action.js'
import * as verifyPayment from '../../server/chain/verifyPayment.js'
import { aNewAction, anOnDemandIntent, randomAddress, randomHash, stepOf, usdOn1 } from '../support/builders.js'
import { createUnknownTransactions } from '../../server/engine/outcomes/unknownTransactions.js'
import { moneyScene } from '../store/money/moneyScene.js'

const tenMinutesMs = 10 * 60 * 1000

describe('a step whose transaction is in no block', () => {
  const scene = moneyScene()

  /** What a visit makes of a registered step, so much later. */
  async function visited(ref: StepRef, user: Address, { isKnown = false, laterMs = 0, sender = user } = {}) {
    const asked: string[] = []
    const chain = {
      config: { chainId: 1, pollIntervalMs: 1_000, confirmations: 1, tokens: [] },
      knows: async () => asked.push('knows') && isKnown,
      transaction: async () => {
        asked.push('transaction')
        const transaction = isKnown ? { from: sender, to: usdOn1, value: 0n, input: '0x' } : null
        return { transaction, receipt: null, head: { number: 9n } }
      },
    }
    const visit = await verifyStep((await scene.store.readStepWork(ref))!, {
      store: scene.store,
      chains: new Map([[1, chain]]),
      codec: verifyPayment,
      heads: new Map(),
      unknownTransactions: createUnknownTransactions(() => performance.now()),
      accounts: { freed: async () => {} },
      changed: () => {},
      countStep: () => {},
      now: () => Date.now() + laterMs,
      log: { info: () => {} },
    } as never)
    return { visit, asked, step: (await scene.store.readStep(ref))! }
  }

  /** What is postponed is always claimed. */
  const claim = () => scene.store.claimDueSteps({ limit: 10, leaseMs: 60_000 })

  /** Registered, and looked for so long already. */
  async function unseenFor(unseenMs: number, options: Parameters<typeof visited>[2] = {}) {
    const user = randomAddress()
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const hash = randomHash()
    await scene.ask(ref, { hash, action: 'register' })
    await claim()
    await scene.store.postponeStep(ref, 60_000, { hash, forMs: unseenMs })
    return { ref, hash, ...(await visited(ref, user, options)) }
  }

  it('is looked for again for ten minutes where no node knows it, ever later', async () => {
    const { ref, visit, asked, step } = await unseenFor(tenMinutesMs - 1)
    expect(visit).to.deep.equal({ outcome: 'postponed' })
    expect(asked, 'by one call').to.deep.equal(['knows'])
    expect(step).to.include({ status: 'executing', error: null })
    expect((await scene.store.readStepWork(ref))!.unseenMs).to.equal(tenMinutesMs - 1 + 15_000)
    const [{ due_at }] = await scene.database
      .knex('steps')
      .select('due_at')
      .where({ action_id: ref.actionId, step_index: 0 })
    expect(due_at - Date.now()).to.be.within(1, 15_000)
  })

  it('is asked for with all that is known of it when it is looked for first, and once a node knows it', async () => {
    const { ref, visit, asked } = await unseenFor(0)
    expect({ visit, asked }).to.deep.equal({ visit: { outcome: 'postponed' }, asked: ['transaction'] })
    expect((await scene.store.readStepWork(ref))!.unseenMs).to.equal(1_000)
    const found = await unseenFor(5_000, { isKnown: true })
    expect(found.asked).to.deep.equal(['knows', 'transaction'])
    expect((await scene.store.readStepWork(found.ref))!.unseenMs).to.equal(0)
  })

  it('costs one write for each look, shared by those that are looked for together', async () => {
    const users = [randomAddress(), randomAddress()]
    const refs = await Promise.all(
      users.map(async (user) => {
        const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
        await scene.store.insertAction(entry)
        const ref = stepOf(entry, 0, 0)
        await scene.ask(ref, { hash: randomHash(), action: 'register' })
        return ref
      }),
    )
    await claim()
    const durable: unknown[] = []
    const { database } = scene
    const { transact, write } = database
    database.transact = (work, options) => {
      durable.push(options?.durable ?? true)
      return transact(work, options)
    }
    database.write = (statement, options) => {
      durable.push(true)
      return write(statement, options)
    }
    await Promise.all(refs.map((ref, index) => visited(ref, users[index]!)))
    expect(durable).to.deep.equal([false])
  })

  it('fails at once where a node knows it and it is someone else’s', async () => {
    const { step } = await unseenFor(0, { isKnown: true, sender: randomAddress() })
    expect(step).to.include({ status: 'error' })
    expect(step.error?.code).to.equal('transaction_mismatch')
  })

  it('waits for its block for a day once a node knows it, and may be asked for again', async () => {
    const hourMs = 3_600_000
    const early = await unseenFor(0, { isKnown: true, laterMs: 23 * hourMs })
    expect(early.visit).to.deep.equal({ outcome: 'waits', delayMs: 15_000 })
    expect(early.step).to.include({ status: 'executing', error: null })
    const { ref, hash, step } = await unseenFor(0, { isKnown: true, laterMs: 25 * hourMs })
    expect(step).to.deep.include({
      status: 'error',
      error: {
        code: 'transaction_not_found',
        message: `No block of chain 1 has had the transaction ${hash} within a day. Ask again once it is mined.`,
        retryable: true,
      },
    })
    expect((await scene.ask(ref, { hash, action: 'register' })).status).to.equal('executing')
  })

  it('waits for a day from when its turn had come', async () => {
    const hourMs = 3_600_000
    const user = randomAddress()
    const { chainBatches } = anOnDemandIntent(user)
    const intent = { mode: 'non-7702:on-demand' as const, chainBatches: [chainBatches[0]!, chainBatches[0]!] }
    const entry = aNewAction({ user, intents: [intent] })
    await scene.store.insertAction(entry)
    const [first, second] = [stepOf(entry, 0, 0), stepOf(entry, 0, 1)]
    for (const ref of [first, second]) await scene.ask(ref, { hash: randomHash(), action: 'register' })
    const ended = { status: 'success', updated_at: Date.now() + 24 * hourMs }
    await scene.database.knex('steps').where({ action_id: first.actionId, step_index: 0 }).update(ended)
    const { visit } = await visited(second, user, { isKnown: true, laterMs: 25 * hourMs })
    expect(visit).to.deep.equal({ outcome: 'waits', delayMs: 15_000 })
    const later = await visited(second, user, { isKnown: true, laterMs: 49 * hourMs })
    expect(later.step.error?.code).to.equal('transaction_not_found')
  })

  it('fails after that, says so, and may be asked for again, for ten minutes more', async () => {
    const { ref, hash, step } = await unseenFor(tenMinutesMs)
    expect(step).to.deep.include({
      status: 'error',
      error: {
        code: 'transaction_not_found',
        message: `No transaction ${hash} has appeared on chain 1 within 10 minutes.`,
        retryable: true,
      },
    })
    expect((await scene.ask(ref, { hash, action: 'register' })).status).to.equal('executing')
    expect((await scene.store.readStepWork(ref))!.unseenMs).to.equal(0)
  })
})

describe('a payment that waits for its confirmations', () => {
  const scene = moneyScene()

  /** Registered, and seen two deep of the three that it needs under block 9. */
  async function waiting() {
    const user = randomAddress()
    const entry = { ...aNewAction({ user, intents: [anOnDemandIntent(user)] }), requiredConfirmations: () => 3 }
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const hash = randomHash()
    await scene.ask(ref, { hash, action: 'register' })
    await scene.store.noteConfirmations(ref, { hash, blockNumber: 8, confirmations: 2 }, Date.now())
    let asked = 0
    const visit = async (head: bigint, laterMs = 0) => {
      asked = 0
      const config = { chainId: 1, pollIntervalMs: 1_000, confirmations: 3, tokens: [] }
      const transaction = async () => {
        asked += 1
        const [batch] = anOnDemandIntent(user).chainBatches
        const receipt = { blockNumber: 8n, status: 'success', logs: [] }
        return { transaction: { from: user, to: batch!.tokenTransfers[0]!.to }, receipt, head: { number: head } }
      }
      const told: string[] = []
      const outcome = await verifyStep((await scene.store.readStepWork(ref))!, {
        store: scene.store,
        chains: new Map([[1, { config, transaction }]]),
        heads: new Map([[1, { number: head }]]),
        unknownTransactions: createUnknownTransactions(() => performance.now()),
        codec: {
          verifyPayment: () => ({ outcome: 'waiting', receipt: { blockNumber: 8n }, confirmations: Number(head) - 7 }),
        },
        changed: (topic: string) => void told.push(topic),
        now: () => Date.now() + laterMs,
      } as never)
      return { outcome, asked, told }
    }
    return { ref, visit }
  }

  const soon = { outcome: 'waits', delayMs: 1_000 }

  it('is asked for where a block has come since, and told then', async () => {
    const { ref, visit } = await waiting()
    expect(await visit(8n), 'a node that lags').to.deep.equal({ outcome: soon, asked: 0, told: [] })
    expect(await visit(9n)).to.deep.equal({ outcome: soon, asked: 0, told: [] })
    expect(await visit(10n)).to.deep.equal({ outcome: soon, asked: 1, told: [ref.actionId] })
    expect(await scene.store.readStep(ref)).to.include({ confirmations: 3 })
  })

  it('is asked for again though no block comes, before long, and told nothing that is known', async () => {
    const { visit } = await waiting()
    expect(await visit(9n, 40_000)).to.deep.equal({ outcome: soon, asked: 1, told: [] })
  })
})

describe('a payment whose transaction brings more than was declared', () => {
  const scene = moneyScene()

  /** Visited three deep, where a thousand and more has to be ten deep; the amounts are paid by himself and another. */
  async function visited({ own, others }: { own: bigint; others: bigint }) {
    const user = randomAddress()
    const entry = { ...aNewAction({ user, intents: [anOnDemandIntent(user)] }), requiredConfirmations: () => 3 }
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    await scene.ask(ref, { hash: randomHash(), action: 'register' })
    const tokens = [{ address: usdOn1, confirmations: [{ amount: 1_000n, confirmations: 10 }] }]
    const config = { chainId: 1, vault: randomAddress(), pollIntervalMs: 1_000, confirmations: 3, tokens }
    const receipt = { hash: randomHash(), blockNumber: 7n, blockHash: randomHash(), status: 'success', logs: [] }
    const transaction = { from: user }
    const arrivals = [
      { token: usdOn1, from: user, amount: own, logIndex: 0 },
      { token: usdOn1, from: randomAddress(), amount: others, logIndex: 1 },
    ]
    const chain = {
      config,
      transaction: async () => ({ transaction, receipt, head: { number: 9n } }),
      isCertain: async () => true,
      measureArrivals: async (logged: { amount: bigint }[]) => logged.map(({ amount }) => amount),
    }
    await verifyStep((await scene.store.readStepWork(ref))!, {
      store: scene.store,
      chains: new Map([[1, chain]]),
      heads: new Map(),
      unknownTransactions: createUnknownTransactions(() => performance.now()),
      settings: { funders: new Set() },
      accounts: { freed: async () => {} },
      codec: {
        verifyPayment: () => ({ outcome: 'verified', transaction, receipt, confirmations: 3 }),
        vaultArrivals: () => arrivals,
      },
      changed: () => {},
      countStep: () => {},
      now: Date.now,
      log: { info: () => {} },
    } as never)
    return (await scene.store.readStep(ref))!
  }

  it('waits as deep as all of that asks for which its user has paid', async () => {
    expect(await visited({ own: 1_000n, others: 0n })).to.include({ status: 'executing', confirmations: 3 })
  })

  it('waits no deeper for what others have paid in it', async () => {
    expect(await visited({ own: 100n, others: 1_000n })).to.include({ status: 'success', confirmations: 3 })
  })
})
