import { expect } from 'chai'
import type { Address } from 'viem'
import { mostDraws, orderCredits, planFunding } from '../../../server/domain/funding.js'
import type { SolverNeed } from '../../../server/domain/solverNeeds.js'
import { lockOpenCredits } from '../../../server/store/money/openCredits.js'
import type { CreditRow, ReservationRow } from '../../../server/store/rows.js'
import {
  aBatch,
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  aTransfer,
  randomAddress,
  randomHash,
  stepOf,
  usdOn1,
  usdOn2,
} from '../../support/builders.js'
import { moneyScene, need } from './moneyScene.js'

describe('the credit of a user who has very many', () => {
  const scene = moneyScene()
  const { ask, codeOf } = scene
  const foreign = randomAddress()
  let user: Address

  beforeEach(async () => {
    user = randomAddress()
    // In the order of their ids; the foreign token is in nobody's group.
    await credit(2_100, { chainId: 1, token: foreign, amount: 1n })
    await credit(2_100, { chainId: 1, token: usdOn1, amount: 2n })
    await credit(1_100, { chainId: 2, token: usdOn2, amount: 7n })
    await credit(1, { chainId: 1, token: usdOn1, amount: 5_000n })
    await credit(1, { chainId: 2, token: usdOn2, amount: 900n })
  })

  /** What one transaction has brought, each amount a credit of its own. */
  async function credit(
    count: number,
    { chainId, token, amount }: { chainId: number; token: Address; amount: bigint },
  ) {
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user, amount)] })
    await scene.store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const block = { transactionHash: randomHash(), blockNumber: 7, blockHash: randomHash() }
    await ask(ref, { hash: block.transactionHash, action: 'register' })
    const arrivals = Array.from({ length: count }, (_, logIndex) => ({
      ...{ chainId, logIndex, user, token, amount },
      ...block,
    }))
    const result = { status: 'success', ...block, confirmations: 1, arrivals, payouts: [] } as const
    await scene.store.settleStep({ ref, attempt: '1' }, { ...result, payouts: [] }, Date.now())
  }

  async function signedPayout() {
    const batch = aBatch({ chainId: 2, hash: randomHash(), calls: [], tokenTransfers: [aTransfer({ to: user })] })
    const entry = aNewAction({ user, intents: [aSignedIntent([batch])] })
    await scene.store.insertAction(entry)
    return stepOf(entry, 0, 0)
  }

  /** What is planned by all that the user has, each by its id. */
  async function planOfAll(wanted: SolverNeed, actionId: string) {
    const rows = await scene.database.knex<CreditRow>('credits').where({ user, is_open: 1 })
    const credits = rows.flatMap((row) =>
      wanted.members
        .filter((member) => member.chainId === row.chain_id && member.token === row.token)
        .map(({ decimals }) => ({
          ...{ creditId: row.id, chainId: row.chain_id, token: row.token, decimals },
          ...{ available: BigInt(row.available), actionId: row.action_id },
        })),
    )
    return planFunding(wanted, orderCredits(credits, { actionId, chainId: 2, signed: true }))
  }

  async function reservedFor(actionId: string) {
    const rows = await scene.database.knex<ReservationRow>('reservations').where({ action_id: actionId })
    return new Map(rows.map((row) => [row.credit_id, BigInt(row.amount)]))
  }

  const withDecimals = (wanted: SolverNeed, ofChain2: number): SolverNeed => ({
    ...wanted,
    members: wanted.members.map((member) => (member.chainId === 2 ? { ...member, decimals: ofChain2 } : member)),
  })

  const payouts = [
    { what: 'what comes first', wanted: need(6_999n) },
    { what: 'the largest, where what comes first does not suffice', wanted: need(5_900n + 998n * 7n) },
    { what: 'the largest by their worth', wanted: withDecimals(need(6_990n), 7) },
  ]
  for (const { what, wanted } of payouts) {
    it(`pays a payout from ${what}, as if all of it had been looked at`, async () => {
      const ref = await signedPayout()
      const plan = await planOfAll(wanted, ref.actionId)
      expect((await ask(ref, { needs: [wanted] })).status).to.equal('executing')
      if (plan.outcome !== 'funded') throw new Error('there is enough')
      const planned = new Map(plan.draws.map(({ creditId, amount }) => [creditId, amount]))
      expect(planned.size).to.be.within(950, mostDraws)
      expect(await reservedFor(ref.actionId)).to.deep.equal(planned)
    })
  }

  it('tells how much of it one payout could have', async () => {
    const ref = await signedPayout()
    const most = 5_900n + 998n * 7n
    const refused = await ask(ref, { needs: [need(most + 1n)] }).catch((error: Error) => error.message)
    expect(refused).to.include(`${most} of the user's is left for it`)
    expect((await ask(ref, { needs: [need(most)] })).status).to.equal('executing')
  })

  it('leaves an unsigned payout nothing but what was paid in its own action, however far back that stands', async () => {
    const entry = await scene.paidAction(user, 50n)
    const payout = stepOf(entry, 0, 1)
    expect(await codeOf(ask(payout, { needs: [need(51n)] }))).to.equal('insufficient_credit')
    expect((await ask(payout, { needs: [need(50n)] })).status).to.equal('executing')
    expect((await reservedFor(entry.action.actionId)).size).to.equal(1)
  })

  it('is not read whole, however many transfers a step has', async () => {
    await credit(5_000, { chainId: 1, token: foreign, amount: 1n })
    const ref = await signedPayout()
    const needs = Array.from({ length: 64 }, () => need(10n))
    const use = { user, actionId: ref.actionId, chainId: 2, signed: true }
    const read = await scene.database.transact((trx) => lockOpenCredits(trx, use, needs))
    expect(read.length).to.be.within(1_000, 2_000)
    expect((await ask(ref, { needs })).status).to.equal('executing')
    expect((await reservedFor(ref.actionId)).size).to.equal(92)
  })

  it('goes to one of several payouts that ask for it at once', async () => {
    const refs = await Promise.all(Array.from({ length: 4 }, signedPayout))
    const codes = await Promise.all(refs.map((ref) => codeOf(ask(ref, { needs: [need(11_000n)] }))))
    expect(codes.sort()).to.deep.equal([...Array.from({ length: 3 }, () => 'insufficient_credit'), 'none'])
  })
})
