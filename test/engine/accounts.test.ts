import { expect } from 'chai'
import type { StepRef } from '../../server/domain/action.js'
import { createAccounts } from '../../server/engine/accounts.js'
import type { StepWork } from '../../server/store/steps.js'

describe('steps that wait for one account', () => {
  function scene() {
    const called: string[] = []
    const taken = new Set<string>()
    const clock = { now: 0 }
    const accounts = createAccounts({
      take: (work) => Promise.resolve(taken.has(work.ref.actionId)),
      giveBack: ({ actionId }: StepRef) => Promise.resolve(void taken.delete(actionId)),
      hurry: ({ actionId }: StepRef) => Promise.resolve(void called.push(actionId)),
      now: () => clock.now,
    })
    return { accounts, called, taken, clock }
  }

  const step = (actionId: string): StepWork =>
    ({
      ref: { actionId, intentIndex: 0, stepIndex: 0 },
      kind: 'delegated',
      user: `0x${'11'.repeat(20)}`,
      view: { chainId: 1 },
    }) as StepWork

  it('are called in the order in which they came, each once the account is free', async () => {
    const { accounts, called, taken } = scene()
    taken.add('first')
    expect(await accounts.take(step('first'))).to.equal(null)
    const waits = [await accounts.take(step('second')), await accounts.take(step('third'))]
    expect(waits[0]).to.be.below(waits[1]!)
    await accounts.freed([step('first')])
    expect(called).to.deep.equal(['second'])
  })

  it('are called when who has it gives it back, and he comes after them', async () => {
    const { accounts, called, taken } = scene()
    taken.add('first')
    await accounts.take(step('first'))
    await accounts.take(step('second'))
    await accounts.giveBack(step('first'))
    expect(taken.has('first')).to.equal(false)
    expect(called).to.deep.equal(['second'])
    await accounts.take(step('first'))
    await accounts.freed([step('second')])
    expect(called).to.deep.equal(['second', 'first'])
  })

  it('need not be asked whether they have what they were accepted with', async () => {
    const { accounts } = scene()
    expect(await accounts.take({ ...step('accepted'), hasAccount: true })).to.equal(null)
  })

  it('are not kept waiting by one that has ended while it waited', async () => {
    const { accounts, called } = scene()
    await accounts.take(step('expires'))
    await accounts.take(step('next'))
    await accounts.freed([step('expires')])
    expect(called).to.deep.equal(['next'])
  })

  it('are not passed by by one that comes new, called or not, unless they stay away', async () => {
    const { accounts, called, taken, clock } = scene()
    await accounts.take(step('second'))
    // It could have it.
    taken.add('new')
    expect(accounts.isAwaited(step('new'))).to.equal(true)
    expect(await accounts.take(step('new'))).to.be.a('number')
    await accounts.freed([step('first')])
    expect(called).to.deep.equal(['second'])
    taken.add('newer')
    clock.now = 1_000
    expect(accounts.isAwaited(step('newer'))).to.equal(true)
    clock.now = 5_000
    expect(accounts.isAwaited(step('newer'))).to.equal(false)
    expect(await accounts.take(step('newer'))).to.equal(null)
  })

  it('look for themselves whether it is free once they have waited', async () => {
    const { accounts, taken } = scene()
    await accounts.take(step('second'))
    await accounts.take(step('third'))
    taken.add('third')
    expect(await accounts.take(step('third'))).to.equal(null)
  })

  it('look the more rarely the more of them there are, until they are gone', async () => {
    const { accounts, taken } = scene()
    const other = (index: number) => ({ ...step(`other ${index}`), view: { chainId: index } }) as StepWork
    const crowd = Array.from({ length: 1_000 }, (_none, index) => other(index))
    const alone = (await accounts.take(step('alone')))!
    for (const work of crowd) await accounts.take(work)
    const among = (await accounts.take(step('alone')))!
    expect(alone).to.be.at.most(200)
    expect(among).to.be.at.least(10_000)
    for (const work of crowd) {
      taken.add(work.ref.actionId)
      expect(await accounts.take({ ...work, hasAccount: true })).to.equal(null)
    }
    expect(await accounts.take(step('alone'))).to.equal(alone)
  })

  it('keep nobody from another account', async () => {
    const { accounts, taken } = scene()
    await accounts.take(step('second'))
    const elsewhere = { ...step('elsewhere'), view: { chainId: 2 } } as StepWork
    taken.add('elsewhere')
    expect(accounts.isAwaited(elsewhere)).to.equal(false)
    expect(await accounts.take(elsewhere)).to.equal(null)
  })
})
