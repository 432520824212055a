import { expect } from 'chai'
import type { Address } from 'viem'
import { accountOf } from '../../../server/domain/action.js'
import type { Database } from '../../../server/store/connection/database.js'
import type { StepWork } from '../../../server/store/actions/steps.js'
import type { Store } from '../../../server/store/store.js'
import { randomAddress } from '../../support/builders.js'
import { acceptStep } from './acceptStep.js'
import { recordSteps } from '../journal/recordSteps.js'
import { useStore } from '../useStore.js'

describe('the store, which gives a user’s account to one step at a time,', () => {
  let database: Database
  let store: Store
  const signer = randomAddress()

  useStore(async (fresh) => {
    ;({ database, store } = fresh)
    await store.openLane({ chainId: 1, signer, chainNonce: 5, ifLedgerIsNew: null }, Date.now())
  })

  const accepted = async (user?: Address) => (await store.readStepWork(await acceptStep(store, Date.now(), user)))!

  /** A step of a user, and two of another one. */
  async function oneAndTwoOfAUser(): Promise<[StepWork, StepWork, StepWork]> {
    const user = randomAddress()
    return [await accepted(), await accepted(user), await accepted(user)]
  }

  it('makes one step the open one of its user, whatever else is taken in the same go or at the same time', async () => {
    const works = await oneAndTwoOfAUser()
    const [other, ...same] = works
    const [first, second] = await Promise.all([store.takeAccounts(works), store.takeAccounts([...works].reverse())])
    expect([first[0], second[2]]).to.deep.equal([true, true])
    // Whoever has it has it still when it is taken again, and nobody else ever.
    expect(first.slice(1).filter(Boolean)).to.have.length(1)
    expect([second[1], second[0]]).to.deep.equal(first.slice(1))
    const rows = await database.knex('steps').whereNotNull('open_account').select('open_account')
    const accounts = [other, same[0]].map(accountOf)
    expect(rows.map(({ open_account }) => open_account)).to.have.members(accounts)
  })

  it('takes its account again for a step whose other visit has given it back, unless another step has it by now', async () => {
    const user = randomAddress()
    const refs = [
      await acceptStep(store, Date.now(), user),
      await acceptStep(store, Date.now(), user),
      await acceptStep(store),
    ] as const
    const [first, other, company] = refs
    const works = await Promise.all(refs.map(async (ref) => (await store.readStepWork(ref))!))
    const rival = works[1]!
    expect(await store.takeAccounts([works[0]!, works[2]!])).to.deep.equal([true, true])
    await store.giveAccountBack(first)
    expect(await store.takeAccounts([rival])).to.deep.equal([true])
    expect(await recordSteps(store, signer, [first, company])).to.deep.equal({ outcome: 'stale', steps: [first] })
    await store.giveAccountBack(other)
    expect((await recordSteps(store, signer, [first])).outcome).to.equal('recorded')
    expect(await store.takeAccounts([rival])).to.deep.equal([false])
  })

  it('tells a step that comes twice of its account twice, and many that it is taken in a few transactions', async () => {
    const [own, holder, waiting] = await oneAndTwoOfAUser()
    expect(await store.takeAccounts([holder])).to.deep.equal([true])
    expect(await store.takeAccounts([own, { ...own }, waiting])).to.deep.equal([true, true, false])
    let begun = 0
    database.knex.on('query', ({ sql }: { sql: string }) => (begun += Number(/^BEGIN/.test(sql))))
    expect(await store.takeAccounts(Array.from({ length: 20 }, () => waiting))).to.deep.equal(Array(20).fill(false))
    expect(begun).to.be.at.most(1)
  })

  it('takes the accounts of many steps in a few transactions, though one of them is taken', async () => {
    const user = randomAddress()
    const works = []
    for (const each of [user, ...Array.from({ length: 12 }, () => randomAddress()), user]) {
      works.push((await store.readStepWork(await acceptStep(store, Date.now(), each)))!)
    }
    expect(await store.takeAccounts(works.slice(-1))).to.deep.equal([true])
    let commits = 0
    database.knex.on('query', ({ sql }: { sql: string }) => (commits += Number(/\bCOMMIT$/.test(sql))))

    // The first waits for the last, which has the account already.
    expect(await store.takeAccounts(works)).to.deep.equal([false, ...works.slice(1).map(() => true)])
    expect(commits).to.be.at.most(2)
  })
})
