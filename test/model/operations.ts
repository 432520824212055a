import type { Hash } from 'viem'
import { isSameStep } from '../../server/domain/action.js'
import { ServiceError } from '../../server/domain/errors.js'
import { refOf, type StepRow } from '../../server/store/rows.js'
import { aStepRequest } from '../support/aStepRequest.js'
import { rethrow } from '../support/rethrow.js'
import { amounts, needsOf, randomAction } from './actions.js'
import type { Block, ChainId, StepCall, StepTransaction, Transfer } from './chain.js'
import { createReports } from './reports.js'
import { createSettlements } from './settlements.js'
import { createVisits } from './visits.js'
import { anyOf, keyOf, openTransactions, type World } from './world.js'

const most = { actions: 8, payments: 6, withdrawals: 2, depth: 3 }

type PaymentRow = Pick<StepRow, 'chain_id' | 'action_id' | 'intent_index' | 'step_index' | 'user'> & { hash: Hash }

/** What may happen: to users, to the chains and to the service. `after` each it is checked what must hold. */
export function createOperations(world: World, after: () => Promise<void>) {
  const { database, store, random, chains, now, note, signer, met } = world
  const { visit } = createVisits(world, meanwhile)
  const { settle } = createSettlements(world, meanwhile)
  const { report, lookAtAll } = createReports(world)
  /**
   * Gone blocks that have not been undone yet. One that is late may still book in them, so in the end all are again.
   */
  const undone = new Set<Block>()

  /** How often each happens beside the others. */
  const outside: [number, () => unknown][] = [
    [6, act],
    [6, pay],
    [2, withdraw],
    [10, mineTransfers],
    [22, ask],
    [12, mineOne],
    [3, () => reorganise(1)],
    [3, () => reorganise(2)],
    [3, undoOne],
    [1, report],
    [1, lookAtAll],
    [2, loseOne],
    [2, findLost],
    [1.5, beStranger],
  ]
  const all: typeof outside = [...outside, [16, visit], [12, settleOne]]
  return { next, rest }

  async function next(): Promise<void> {
    await run(all)
  }

  /** What may come between while the service is at something. */
  async function meanwhile(times: number, share: number): Promise<void> {
    if (world.isEnding) return
    for (let time = 0; time < times; time += 1) if (random.chance(share)) await run(outside)
  }

  async function run(operations: typeof outside): Promise<void> {
    let left = random.next() * operations.reduce((sum, [weight]) => sum + weight, 0)
    const chosen = operations.find(([weight]) => (left -= weight) < 0)
    await chosen?.[1]()
    await after()
  }

  async function act(): Promise<void> {
    const index = new Set(world.steps.map(({ ref }) => ref.actionId)).size
    if (index >= most.actions) return
    // Each later than the last, so that the order of their ids is the seed's.
    const { entry, steps } = randomAction(random, { user: random.pick(world.users), index, now: now + index })
    await store.insertAction(entry)
    world.steps.push(...steps)
    note(`action ${index} of ${steps.map(({ pays, brings }) => `-${pays}+${brings}`).join(' ')}`)
  }

  function pay(): void {
    if (transfersOf('payment').length < most.payments) moveMoney('payment')
  }

  function withdraw(): void {
    if (transfersOf('withdrawal').length < most.withdrawals) moveMoney('withdrawal')
  }

  function moveMoney(kind: Transfer['kind']): void {
    const hash = world.nextHash(kind)
    world.transfers.push({ kind, hash, user: random.pick(world.users), amount: random.pick(amounts), block: null })
  }

  function transfersOf(kind: Transfer['kind']): Transfer[] {
    return world.transfers.filter((transfer) => transfer.kind === kind)
  }

  function mineTransfers(): void {
    const isWaiting = ({ block }: Transfer) => block === null
    const payment = anyOf(world, transfersOf('payment').filter(isWaiting))
    if (payment) mineTransfer(payment)
    const withdrawal = anyOf(world, transfersOf('withdrawal').filter(isWaiting))
    if (withdrawal && random.chance(0.3)) mineTransfer(withdrawal)
  }

  function mineTransfer(transfer: Transfer): void {
    const block = chains.transfer(transfer)
    note(`mine ${transfer.kind} ${transfer.hash.slice(0, 10)} of ${transfer.amount} in ${nameOf(block)}`)
  }

  async function ask(): Promise<void> {
    const step = anyOf(world, world.steps)
    if (!step) return
    const { ref } = step
    const work = (await store.readStepWork(ref))!
    const due = work.intent.chainBatches[ref.stepIndex]!.tokenTransfers[0]?.amount
    const isPayment = work.kind === 'payment'
    const fitting = transfersOf('payment').filter(({ user, amount }) => user === step.user && amount === due)
    const payment = isPayment ? anyOf(world, fitting) : undefined
    if (isPayment && !payment) return
    const order = {
      action: isPayment && random.chance(0.5) ? 'register' : 'execute',
      hash: payment?.hash ?? null,
      signed: isPayment && random.chance(0.4),
    } as const
    const holder = payment && (await holderOf(payment))
    const words = `ask for ${step.name}${payment ? ` with ${payment.hash.slice(0, 10)}` : ''}${order.signed ? ', signed' : ''}`
    const request = aStepRequest({ ref, order, needs: needsOf(step, world.hasOpenFunding) })
    try {
      const { view } = await store.requestStep(request, now)
      note(`${words}: ${view.status}`)
      if (holder && !isSameStep(holder, ref)) met.add('a takeover')
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      note(`${words}: ${error.code}`)
    }
  }

  /** The step that a payment backs. */
  async function holderOf({ hash, user }: Transfer) {
    const row = await database.knex<PaymentRow>('payments').where({ chain_id: 1, hash, user }).first()
    return row && refOf(row)
  }

  async function mineOne(): Promise<void> {
    const waiting = (await openTransactions(world)).filter(({ block }) => block === null)
    const transaction = anyOf(world, waiting)
    if (transaction) mine(transaction)
  }

  /** Each of its calls takes effect or fails by itself; none a second time. */
  function mine(transaction: StepTransaction): void {
    const newest = chains.newestBlock(2)
    const block = newest && random.chance(0.5) ? newest : chains.newBlock(2)
    const effects = chains.effects()
    const done: StepCall[] = []
    for (const call of transaction.calls) {
      const isDone = effects.has(call.key) || done.some(({ key }) => key === call.key)
      if (!isDone && random.chance(0.75)) done.push(call)
    }
    chains.include(block, { transaction, done, isUnrun: random.chance(0.15) })
    const names = done.map(({ step }) => step.name).join(' ')
    note(`mine transaction ${transaction.id} in ${nameOf(block)}, which does ${names || 'nothing'}`)
  }

  async function settleOne(): Promise<void> {
    const mined = (await openTransactions(world)).filter(({ block }) => block !== null)
    const transaction = anyOf(world, mined)
    if (transaction) await settle(transaction)
  }

  function reorganise(chainId: ChainId): void {
    const gone = chains.reorganise(chainId, 1 + random.below(most.depth))
    if (gone.length > 0) note(`reorganise chain ${chainId}: ${gone.map(nameOf).join(', ')}`)
  }

  async function undoOne(): Promise<void> {
    const gone = chains.goneBlocks().filter((block) => !undone.has(block))
    const block = anyOf(world, gone)
    if (block) await undo(block)
  }

  async function undo(block: Block): Promise<void> {
    const found = await store.undoBlock(block.chainId, { number: block.number, hash: block.hash }, now, rethrow)
    undone.add(block)
    if (found.length === 0) return
    met.add('a reorganisation that undid something')
    note(`undo ${nameOf(block)}: ${found.map(({ kind }) => kind).join(', ')}`)
  }

  /** An operator says that something else has used a nonce, and may be wrong: then the chain still waits for it. */
  async function loseOne(): Promise<void> {
    const waiting = (await openTransactions(world)).filter(({ block }) => block === null)
    const transaction = anyOf(world, waiting)
    if (!transaction) return
    await store.resumeLane({ chainId: 2, signer, chainNonce: 0, lost: [transaction.id!] }, now)
    note(`transaction ${transaction.id} is lost`)
  }

  async function findLost(): Promise<void> {
    const rows = await database
      .knex<{ id: number; nonce: number; status: string }>('transactions')
      .where({ status: 'lost' })
      .orderBy('id')
      .select('id', 'nonce')
    const lost = anyOf(world, rows)
    if (!lost) return
    await store.reopenLost({ chainId: 2, signer, nonce: lost.nonce }, now)
    met.add('a lost transaction that was found again')
    note(`transaction ${lost.id} is found again`)
  }

  /** Anybody may run a signed batch that brings the vault something, and has it mined again after a reorganisation. */
  function beStranger(): void {
    const waiting = world.strangers.find(({ block }) => block === null)
    if (waiting) return mineStrangers(waiting)
    const bringing = world.steps.filter(({ brings }) => brings > 0n)
    const step = anyOf(world, bringing)
    if (!step) return
    const calls = [{ key: keyOf(step.name), step }]
    const transaction = { id: null, hash: world.nextHash('stranger'), calls, block: null }
    world.strangers.push(transaction)
    mineStrangers(transaction)
  }

  function mineStrangers(transaction: StepTransaction): void {
    const [call] = transaction.calls
    if (chains.effects().has(call!.key)) return
    const block = chains.newBlock(2)
    chains.include(block, { transaction, done: [call!], isUnrun: false })
    met.add('a stranger’s transaction')
    note(`a stranger does ${call!.step.name} in ${nameOf(block)}`)
  }

  /**
   * Nothing new happens any more: what has gone is undone, what waits is mined, and the service gets on with the rest.
   */
  async function rest(): Promise<void> {
    world.isEnding = true
    const enough = 60
    for (let round = 0; round < enough; round += 1) {
      for (const block of chains.goneBlocks()) await undo(block)
      for (const payment of transfersOf('payment')) if (!payment.block) mineTransfer(payment)
      for (const transaction of await openTransactions(world)) if (!transaction.block) mine(transaction)
      for (const transaction of await openTransactions(world)) await settle(transaction)
      await lookAtAll()
      await visit()
      if (await isAtRest()) break
    }
    await after()
  }

  async function isAtRest(): Promise<boolean> {
    const [step, transaction] = await Promise.all([
      database.knex<{ status: string }>('steps').where({ status: 'executing' }).first('status'),
      database.knex<{ status: string }>('transactions').where({ status: 'open' }).first('status'),
    ])
    return !step && !transaction
  }
}

function nameOf({ number, hash }: Block): string {
  return `block ${number} (${hash.slice(0, 10)})`
}
