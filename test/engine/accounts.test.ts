import { expect } from 'chai'
import type { StepRef } from '../../server/domain/action.js'
import { type Accounts, createAccounts } from '../../server/engine/steps/accounts.js'
import type { StepWork } from '../../server/store/actions/steps.js'

describe('steps that wait for one account', () => {
  function scene() {
    const called: string[] = []
    const taken = new Set<string>()
    /** Those that another process has carried out. */
    const gone = new Set<string>()
    const clock = { now: 0 }
    const accounts = createAccounts({
      take: (work) => Promise.resolve(taken.has(work.ref.actionId)),
      giveBack: ({ actionId }: StepRef) => Promise.resolve(void taken.delete(actionId)),
      hurry: ({ actionId }: StepRef) => {
        called.push(actionId)
        return Promise.resolve(!gone.has(actionId))
      },
      now: () => clock.now,
    })
    return { accounts, called, taken, gone, clock }
  }

  const step = (actionId: string): StepWork =>
    ({
      ref: { actionId, intentIndex: 0, stepIndex: 0 },
      kind: 'delegated',
      user: `0x${'11'.repeat(20)}`,
      view: { chainId: 1 },
    }) as StepWork

  /** For how long a step is to wait. */
  async function told(taking: ReturnType<Accounts['take']>): Promise<number | 'taken'> {
    const answer = await taking
    return answer.outcome === 'waits' ? answer.delayMs : 'taken'
  }

  it('are called in the order in which they came, each once the account is free', async () => {
    const { accounts, called, taken } = scene()
    taken.add('first')
    expect(await told(accounts.take(step('first')))).to.equal('taken')
    const waits = [await told(accounts.take(step('second'))), await told(accounts.take(step('third')))]
    expect(waits[0]).to.be.below(Number(waits[1]))
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

  it('are not kept waiting by those that another process has carried out, and don’t wait longer for them', async () => {
    const { accounts, called, gone } = scene()
    const ids = Array.from({ length: 20 }, (_, index) => `step ${index}`)
    for (const id of ids) await accounts.take(step(id))
    for (const id of ids.slice(0, 18)) gone.add(id)
    await accounts.freed([step('elsewhere')])
    expect(called).to.deep.equal(ids.slice(0, 19))
    const { accounts: empty } = scene()
    await empty.take(step('first'))
    await empty.take(step('second'))
    expect(await told(accounts.take(step('new')))).to.equal(await told(empty.take(step('third'))))
  })

  it('are forgotten when they were called and don’t come, since another process was called as well', async () => {
    const { accounts, called, clock } = scene()
    for (const id of ['first', 'second', 'third']) await accounts.take(step(id))
    await accounts.freed([step('elsewhere')])
    clock.now += 5_000
    await accounts.freed([step('elsewhere')])
    await accounts.freed([step('elsewhere')])
    expect(called).to.deep.equal(['first', 'second', 'third'])
    const { accounts: empty } = scene()
    await empty.take(step('one'))
    await empty.take(step('two'))
    expect(await told(accounts.take(step('new'))), 'behind the two that may come').to.equal(
      await told(empty.take(step('three'))),
    )
  })

  it('need not be asked whether they have what they were accepted with', async () => {
    const { accounts } = scene()
    expect(await told(accounts.take({ ...step('accepted'), hasAccount: true }))).to.equal('taken')
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
    expect(await told(accounts.take(step('new')))).to.be.a('number')
    await accounts.freed([step('first')])
    expect(called).to.deep.equal(['second'])
    taken.add('newer')
    clock.now = 1_000
    expect(accounts.isAwaited(step('newer'))).to.equal(true)
    clock.now = 5_000
    expect(accounts.isAwaited(step('newer'))).to.equal(false)
    expect(await told(accounts.take(step('newer')))).to.equal('taken')
  })

  it('look for themselves whether it is free once they have waited', async () => {
    const { accounts, taken } = scene()
    await accounts.take(step('second'))
    await accounts.take(step('third'))
    taken.add('third')
    expect(await told(accounts.take(step('third')))).to.equal('taken')
  })

  it('do not pass by one that was called, unless it stays away', async () => {
    const { accounts, called, taken, clock } = scene()
    await accounts.take(step('second'))
    await accounts.take(step('third'))
    await accounts.freed([step('first')])
    expect(called).to.deep.equal(['second'])
    taken.add('third')
    expect(await told(accounts.take(step('third')))).to.be.a('number')
    clock.now = 10_000
    expect(await told(accounts.take(step('third')))).to.equal('taken')
  })

  it('look the more rarely the more of them there are, until they are gone', async () => {
    const { accounts, taken } = scene()
    const other = (index: number) => ({ ...step(`other ${index}`), view: { chainId: index } }) as StepWork
    const crowd = Array.from({ length: 1_000 }, (_none, index) => other(index))
    const alone = await told(accounts.take(step('alone')))
    for (const work of crowd) await accounts.take(work)
    const among = await told(accounts.take(step('alone')))
    expect(alone).to.be.at.most(200)
    expect(among).to.be.at.least(10_000)
    for (const work of crowd) {
      taken.add(work.ref.actionId)
      expect(await told(accounts.take({ ...work, hasAccount: true }))).to.equal('taken')
    }
    expect(await told(accounts.take(step('alone')))).to.equal(alone)
  })

  it('look in a crowd of thousands half as often, but for the first of each account', async () => {
    const { accounts } = scene()
    for (let index = 0; index < 10_000; index++) {
      await accounts.take({ ...step(`other ${index}`), view: { chainId: 10 + index } } as StepWork)
    }
    const [first, second, third] = await Promise.all(
      ['first', 'second', 'third'].map((id) => told(accounts.take(step(id)))),
    )
    expect([first, second, third]).to.deep.equal([10_000, 10_000, 20_000])
  })

  it('keep nobody from another account', async () => {
    const { accounts, taken } = scene()
    await accounts.take(step('second'))
    const elsewhere = { ...step('elsewhere'), view: { chainId: 2 } } as StepWork
    taken.add('elsewhere')
    expect(accounts.isAwaited(elsewhere)).to.equal(false)
    expect(await told(accounts.take(elsewhere))).to.equal('taken')
  })
})
