import { expect } from 'chai'
import type { Address, Hash } from 'viem'
import { groupBy } from '../../server/lists/groupBy.js'
import { checkBalances } from '../../server/store/money/reconciliation.js'
import type { CreditRow, ReservationRow } from '../../server/store/rows.js'
import { openTransactions, type World } from './world.js'

type Entry = { debit: string; credit: string; amount: string; cause: string }
type Grant = { status: string; amount: string }

/** What must hold after every operation, whatever is under way. */
export async function checkAlways({ database, store, met }: World): Promise<void> {
  const { knex } = database
  const [entries, exposures, grants, funding, credits, reservations] = await Promise.all([
    knex<Entry>('ledger').select('debit', 'credit', 'amount'),
    store.readOpenExposures(),
    knex<Grant>('open_grants').select('status', 'amount'),
    knex<Grant>('open_funding').select('amount'),
    knex<CreditRow>('credits').select('id', 'available', 'reserved', 'is_open'),
    knex<ReservationRow>('reservations').where({ status: 'reserved' }).select('credit_id', 'amount'),
  ])
  if (exposures.length > 0) met.add('an exposure')
  const exposed = exposures.reduce((sum, { amount }) => sum + amount, 0n)
  const given = sumOf(grants.filter(({ status }) => status === 'spent'))
  expect(flow(entries, 'solver'), 'the solver has lost what is exposed, and what he gives').to.equal(-exposed - given)
  expect(sumOf(funding), 'what users have had of open funding is what was granted').to.equal(sumOf(grants))
  expect(await checkBalances(database), 'balances are what the ledger adds up to').to.deep.equal([])
  for (const { id, available, reserved, is_open } of credits) {
    const held = sumOf(reservations.filter(({ credit_id }) => credit_id === id))
    expect(BigInt(reserved), `what is set aside of credit ${id}`).to.equal(held)
    const isUsable = BigInt(available) + held > 0n
    if (isUsable) expect(Boolean(is_open), `credit ${id}, of which something is left, is open`).to.equal(true)
  }
}

/** What must hold once nothing is under way any more: the database says what the chains say. */
export async function checkAtRest(world: World): Promise<void> {
  expect(await openTransactions(world), 'transactions that are open').to.deep.equal([])
  await checkSteps(world)
  await checkCredits(world)
  await checkEvents(world)
}

async function checkSteps({ database, store, chains, steps }: World): Promise<void> {
  const effects = chains.effects()
  const entries = await database.knex<Entry>('ledger').where('cause', 'like', '%payout:%')
  for (const step of steps) {
    const { view, kind } = (await store.readStepWork(step.ref))!
    expect(view.status, `step ${step.name} has ended`).to.not.equal('executing')
    const { actionId, intentIndex, stepIndex } = step.ref
    const booked = entries.filter(({ cause }) => cause.includes(`payout:${actionId}/${intentIndex}/${stepIndex}:`))
    if (kind === 'payment') continue
    const doer = [...effects.values()].find((transaction) =>
      chains.inclusionOf(transaction)!.done.some((call) => call.step === step),
    )
    expect(flow(booked, 'vault'), `what is booked as paid in step ${step.name}`).to.equal(doer ? step.pays : 0n)
    // Nobody looks at a step that was not asked for, or has failed; a stranger’s transaction
    // is found when it is asked for.
    const isStrangers = doer?.id === null
    if (isStrangers) continue
    const isSpent = view.error?.code === 'batch_not_executed' && step.pays > 0n
    expect(view.status === 'success' || isSpent, `step ${step.name}, ${view.status}, is shown as done`).to.equal(
      doer !== undefined,
    )
  }
}

/** Each credit rests on a block of the chain, and on what is in it. */
async function checkCredits(world: World): Promise<void> {
  const { database, transfers, transactions, strangers } = world
  const credits = await database.knex<CreditRow>('credits').where({ is_lost: 0 })
  const carriers = [...transfers, ...transactions, ...strangers]
  for (const { id, transaction_hash, block_hash } of credits) {
    const carrier = carriers.find(({ hash }) => hash === transaction_hash)
    expect(block_hash, `the block of credit ${id}`).to.equal(carrier?.block?.hash)
  }
  const ofOne = ({ transaction_hash, user }: CreditRow) => `${transaction_hash} ${user}`
  for (const [name, booked] of groupBy(credits, ofOne)) {
    const { transaction_hash, user } = booked[0]!
    const isNoMore = sumOf(booked) <= broughtBy(world, transaction_hash, user)
    expect(isNoMore, `the credits of ${name} are no more than it has brought`).to.equal(true)
  }
}

/** What a transaction has brought a user, however often nodes tell of it and however they number its logs. */
function broughtBy({ chains, transfers, transactions, strangers }: World, hash: Hash, user: Address): bigint {
  const payment = transfers.find((transfer) => transfer.hash === hash)
  if (payment) return payment.user === user ? payment.amount : 0n
  const carrier = [...transactions, ...strangers].find((transaction) => transaction.hash === hash)!
  const done = chains.inclusionOf(carrier)?.done ?? []
  return done.reduce((sum, { step }) => sum + (step.user === user ? step.brings : 0n), 0n)
}

async function checkEvents({ database }: World): Promise<void> {
  const events = await database
    .knex<{ action_id: string; sequence: number }>('events')
    .select('action_id', 'sequence')
    .orderBy(['action_id', 'sequence'])
  const counts = new Map<string, number>()
  for (const { action_id, sequence } of events) {
    const expected = (counts.get(action_id) ?? 0) + 1
    expect(sequence, `events of ${action_id}, without a gap`).to.equal(expected)
    counts.set(action_id, expected)
  }
}

/** What has gone into an account less what has gone out of it. */
function flow(entries: readonly Pick<Entry, 'debit' | 'credit' | 'amount'>[], account: string): bigint {
  return (
    sumOf(entries.filter(({ credit }) => credit === account)) - sumOf(entries.filter(({ debit }) => debit === account))
  )
}

function sumOf(rows: readonly { amount: string }[]): bigint {
  return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}
