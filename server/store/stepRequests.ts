import type { Hash } from 'viem'
import { accountOf, nameOfStep, type Status, type StepRef } from '../domain/action.js'
import { ServiceError } from '../domain/errors.js'
import { creditLacks } from '../domain/funding.js'
import { grouped } from '../concurrency/grouped.js'
import { type Decision, decideRequest, type Order, type Refusal, type RequestedStep } from '../domain/request.js'
import type { SolverNeed } from '../domain/solverNeeds.js'
import type { StepView } from '../domain/views.js'
import { reserveCredit, spenderOf } from './money/credits.js'
import type { Database, Transaction } from './connection/database.js'
import { isDuplicate } from './connection/databaseErrors.js'
import { bindPayment, isBindingSigned } from './money/payments.js'
import { stepsWithAccounts } from './actions/accounts.js'
import { type ActionRow, areSteps, byName, countedAttempts, stepKeyColumns, type StepRow, toStepView } from './rows.js'
import { type ChangedStep, changeStep, changeSteps, nextAttempt, type StepChange } from './actions/stepChange.js'
import { lockedSteps, stateOf, type StepWork } from './actions/steps.js'

export type StepRequest = {
  ref: StepRef
  order: Order
  needs: SolverNeed[]
  /** W3C `traceparent` of the request, for the engine's log. Null: none. */
  traceparent: string | null
  /**
   * The visit that will carry the step out: once accepted, the step is left to it for `leaseMs`. `takesAccount`:
   * together with the user's account on the chain, if no other step has that. Null: it is left to none.
   */
  leftTo: { work: StepWork; leaseMs: number; takesAccount: boolean } | null
}

/**
 * What came of a request: the step as it is then. `isAccepted`: by this request; else it was under way, or at its end.
 * `left`: the work for the visit that it is left to; null: it is left to none.
 */
type StepAnswer = { view: StepView; isAccepted: boolean; left: StepWork | null }

/** How many requests share a transaction, so that none of their rows is locked for long. */
const mostTogether = 32

/** Stores what is asked of steps; requests that come at the same time share a transaction wherever they can. */
export function createStepRequests(database: Database) {
  const together = grouped(
    (asked: { request: StepRequest; now: number }[]) =>
      withFreeAccounts((mayTakeAccount) =>
        requestPlainSteps(
          database,
          asked.map(({ request }) => request),
          { mayTakeAccount, now: asked[0]!.now },
        ),
      ),
    mostTogether,
  )
  /** Throws `ServiceError` when the request can't be met, and then nothing is stored. */
  return async (request: StepRequest, now: number): Promise<StepAnswer> => {
    const outcome = request.needs.length > 0 ? 'separate' : await together({ request, now })
    if (outcome === 'separate')
      return withFreeAccounts((mayTakeAccount) => requestStep(database, request, { mayTakeAccount, now }))
    if ('outcome' in outcome) throw errorOf(outcome)
    return outcome
  }
}

/** For a refusal nothing is stored. */
type RequestOutcome = StepAnswer | Refusal

function errorOf({ code, message }: Refusal): ServiceError {
  return new ServiceError(code, message)
}

/** How many runs of a request may try to take accounts that looked free. */
const mostTries = 2

/**
 * Runs a request again where another step took one of the accounts at the same moment: the
 * next run finds that one taken.
 */
async function withFreeAccounts<T>(run: (mayTakeAccount: boolean) => Promise<T>): Promise<T> {
  for (let tries = 0; tries < mostTries; tries++) {
    try {
      return await run(true)
    } catch (error) {
      if (!isDuplicate(error)) throw error
    }
  }
  // Without accounts: each step's visit takes its own later.
  return run(false)
}

/**
 * Stores what was asked of steps that need nothing but a decision, in one transaction, and answers each at its
 * place. `separate`: this one needs `requestStep`, which gives it a transaction of its own. It has a payment
 * to tie or credit to set aside, its step is asked for twice, or somebody else has its step locked and the
 * others are not to wait for that.
 */
async function requestPlainSteps(
  database: Database,
  requests: readonly StepRequest[],
  { mayTakeAccount, now }: { mayTakeAccount: boolean; now: number },
): Promise<(RequestOutcome | 'separate')[]> {
  return database.transact(async (trx) => {
    const refs = requests.map(({ ref }) => ref)
    const wanted = requests.flatMap((request) => accountWanted(request, mayTakeAccount) ?? [])
    const { rows, previous, taken } = await lockFree(trx, refs, wanted)
    const accepted = new Map<string, ChangedStep>()
    const decide = (request: StepRequest): RequestOutcome | 'separate' | 'accepted' => {
      const name = nameOfStep(request.ref)
      const row = rows.get(name)
      if (!row || row.kind === 'payment' || request.needs.length > 0 || accepted.has(name)) return 'separate'
      const before = nameOfStep(previousOf(request.ref))
      const previousStatus = accepted.has(before) ? 'executing' : (previous.get(before)?.status ?? null)
      const account = accountWanted(request, mayTakeAccount)
      const decided = decideFor(row, previousStatus, request, { isRegistrationSigned: false, account, taken })
      if (decided.outcome === 'refused') return decided
      if (decided.outcome !== 'accept') return decided.outcome === 'answer' ? answerOf(row) : 'separate'
      const { terms } = decided
      if (terms.takesAccount) taken.add(account)
      accepted.set(name, { ref: request.ref, change: acceptance(row, terms), traceparent: request.traceparent })
      return 'accepted'
    }
    const decided = requests.map(decide)
    const changed = await changeSteps(trx, [...accepted.values()], now)
    const acceptedRows = byName(changed)
    return decided.map((outcome, index) =>
      outcome === 'accepted' ? acceptedAs(acceptedRows.get(nameOfStep(refs[index]!))!, requests[index]!) : outcome,
    )
  })
}

/**
 * Locks those of the steps that nobody else has locked, nor their actions, without waiting for anyone. `rows`: these
 * steps, by `nameOfStep`; `previous`: the steps before them; `taken`: which of the accounts other steps have.
 */
async function lockFree(
  trx: Transaction,
  refs: readonly StepRef[],
  accounts: readonly string[],
): Promise<{ rows: Map<string, StepRow>; previous: Map<string, Pick<StepRow, 'status'>>; taken: Set<string | null> }> {
  const actionIds = new Set(refs.map(({ actionId }) => actionId))
  const actions = trx<ActionRow>('actions').whereIn('id', [...actionIds])
  const [steps, free, ...others] = await trx.together(
    lockedSteps(trx, refs, { skipLocked: true }),
    trx.lock(actions.select('id'), { skipLocked: true }),
    ...stepsBeside(trx, refs, accounts),
  )
  const beside = others.flat()
  const isFree = new Set(free.map(({ id }) => id))
  return {
    rows: byName(steps.filter((row) => isFree.has(row.action_id))),
    previous: byName(beside),
    taken: accountsOf(beside),
  }
}

/**
 * Stores what was asked of a step: decides, ties the payment, sets credit aside and hands the step to the
 * engine, in one transaction. Throws `ServiceError` when it can't be met, within the transaction: that
 * undoes what was written of it.
 */
async function requestStep(
  database: Database,
  request: StepRequest,
  { mayTakeAccount, now }: { mayTakeAccount: boolean; now: number },
): Promise<StepAnswer> {
  const { ref } = request
  return database.transact(async (trx) => {
    const account = accountWanted(request, mayTakeAccount)
    const [[row], ...others] = await trx.together(
      lockedSteps(trx, [ref]),
      ...stepsBeside(trx, [ref], account === null ? [] : [account]),
    )
    if (!row) throw new ServiceError('not_found', 'Step not found')
    const beside = others.flat()
    const previous = byName(beside).get(nameOfStep(previousOf(ref)))?.status ?? null
    const isRegistrationSigned = row.kind === 'payment' && (await isBindingSigned(trx, ref))
    const decided = decideFor(row, previous, request, { isRegistrationSigned, account, taken: accountsOf(beside) })
    if (decided.outcome === 'refused') throw errorOf(decided)
    if (decided.outcome === 'answer') return answerOf(row)
    if (decided.outcome === 'follow') {
      trx.later(trx('steps').where(stepKeyColumns(ref)).update({ follow: 1 }))
      return answerOf(row)
    }
    const { ready, terms } = decided
    if (terms.hash) await bind(trx, row, terms.hash, request, now)
    if (ready) await reserveOrRefuse(trx, row, request, now)
    const change = { ...acceptance(row, terms), traceparent: request.traceparent }
    return acceptedAs(await changeStep(trx, ref, change, now), request)
  })
}

type Terms = {
  follow: boolean
  /** The payment's transaction. Null: the step is no payment. */
  hash: Hash | null
  leaseMs: number | undefined
  takesAccount: boolean
}

/** `ready`: the step before it has succeeded, or there is none. */
type Decided = Exclude<Decision, { outcome: 'accept' }> | { outcome: 'accept'; ready: boolean; terms: Terms }

/**
 * Decides a request, and on what terms its step is accepted. `account`: what the step is to have at once, if it is
 * not among those that are `taken`.
 */
function decideFor(
  row: StepRow,
  previous: Status | null,
  { order, leftTo }: StepRequest,
  known: { isRegistrationSigned: boolean; account: string | null; taken: ReadonlySet<string | null> },
): Decided {
  const decision = decideRequest(requestedStep(row, known.isRegistrationSigned), previous, order)
  if (decision.outcome !== 'accept') return decision
  const { ready, follow } = decision
  const hash = row.kind === 'payment' ? (order.hash ?? row.transaction_hash) : null
  const takesAccount = ready && known.account !== null && !known.taken.has(known.account)
  return { outcome: 'accept', ready, terms: { follow, hash, leaseMs: leftTo?.leaseMs, takesAccount } }
}

function answerOf(row: StepRow): StepAnswer {
  return { view: toStepView(row), isAccepted: false, left: null }
}

function acceptedAs(row: StepRow, { leftTo }: StepRequest): StepAnswer {
  const state = stateOf(row)
  return { view: state.view, isAccepted: true, left: leftTo ? { ...leftTo.work, ...state } : null }
}

/** The account that the step is to have at once if it is accepted. Null: none; the visit that needs one takes it. */
function accountWanted({ leftTo }: StepRequest, mayTakeAccount: boolean): string | null {
  return mayTakeAccount && leftTo?.takesAccount && leftTo.work.kind === 'delegated' ? accountOf(leftTo.work) : null
}

function accountsOf(rows: readonly Pick<StepRow, 'open_account'>[]): Set<string | null> {
  return new Set(rows.map(({ open_account }) => open_account))
}

function previousOf(ref: StepRef): StepRef {
  return { ...ref, stepIndex: ref.stepIndex - 1 }
}

/** The statements that read the steps before these, where there are any, and the steps that have these accounts. */
function stepsBeside(trx: Transaction, refs: readonly StepRef[], accounts: readonly string[]) {
  const before = refs.filter(({ stepIndex }) => stepIndex > 0).map(previousOf)
  const previous = () => {
    const { sql, bindings } = areSteps(before)
    const columns = ['action_id', 'intent_index', 'step_index', 'status', 'open_account'] as const
    return trx<StepRow>('steps')
      .whereRaw(sql, bindings)
      .select(...columns)
  }
  return [
    ...(before.length > 0 ? [previous()] : []),
    ...(accounts.length > 0 ? [stepsWithAccounts(trx, accounts)] : []),
  ]
}

function requestedStep(row: StepRow, isRegistrationSigned: boolean): RequestedStep {
  const { error, transactionHash } = toStepView(row)
  const { kind, status } = row
  const attempts = countedAttempts(row)
  const isMined = row.block_number !== null
  return { kind, status, error, attempts, transactionHash, isRegistrationSigned, isMined, follow: Boolean(row.follow) }
}

/** What an accepted request makes of its step. */
function acceptance(row: StepRow, { follow, hash, leaseMs, takesAccount }: Terms): StepChange {
  return {
    ...nextAttempt(row),
    transaction_hash: hash,
    follow: Number(follow),
    ...(takesAccount && { open_account: 'own' as const }),
    due_at: { inMs: leaseMs ?? 0 },
  }
}

async function bind(trx: Transaction, row: StepRow, hash: Hash, request: StepRequest, now: number): Promise<void> {
  const bound = await bindPayment(
    trx,
    { chainId: row.chain_id, hash, user: row.user, ref: request.ref, signed: request.order.signed },
    now,
  )
  if (bound === 'used') {
    throw new ServiceError(
      'transaction_already_used',
      `hash: the transaction ${hash} already backs another step or a recorded deposit.`,
    )
  }
}

async function reserveOrRefuse(trx: Transaction, row: StepRow, request: StepRequest, now: number): Promise<void> {
  const spender = spenderOf({ ...row, attempts: row.attempts + 1 })
  const reserved = await reserveCredit(trx, spender, request.needs, now)
  if (reserved.outcome === 'reserved') return
  throw new ServiceError('insufficient_credit', creditLacks(reserved), {
    token: reserved.token,
    required: reserved.required.toString(),
    available: reserved.available.toString(),
  })
}
