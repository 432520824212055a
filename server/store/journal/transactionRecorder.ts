import type { Address, Hex } from 'viem'
import { type ChainAuthorization, nameOfStep, type StepAttempt, type StepRef } from '../../domain/action.js'
import type { Airdrop } from '../../domain/airdrop.js'
import type { StepView } from '../../domain/views.js'
import { changeSteps, type StepChange } from '../actions/stepChange.js'
import { lockedSteps } from '../actions/steps.js'
import { bindAirdrop, lockOpenAirdrop } from '../airdrops.js'
import type { Database, Transaction } from '../connection/database.js'
import { isDuplicate } from '../connection/databaseErrors.js'
import { attemptOf, byName, formsTable, type StepRow, toStepView, type TransactionRow } from '../rows.js'
import { formColumns, newRow } from './journal.js'
import {
  type CarriedStep,
  type JournalTransaction,
  type SignedForm,
  toCarried,
  toTransaction,
} from './journalTransactions.js'
import { type LaneRow, someLaneAhead } from './lanes.js'

export type NewTransaction = {
  chainId: number
  signer: Address
  to: Address
  data: Hex
  authorizations: ChainAuthorization[]
  gasLimit: bigint
  /**
   * The steps that it is to carry, each with the attempt that it was prepared for: credit is known to be set aside for
   * that attempt only. More than one step: a bundle.
   */
  steps: StepAttempt[]
  /** Null: the transaction carries steps only. */
  airdrop: Airdrop | null
  /**
   * Signs the payload with the lane's nonce, outside of any database transaction: it may be slow, and it may throw.
   * Called again with another nonce when the first one was taken meanwhile; bytes that are not stored are forgotten.
   */
  sign: (nonce: number) => Promise<SignedForm>
}

export type RecordOutcome =
  | { outcome: 'recorded'; transaction: JournalTransaction; steps: StepView[] }
  /** Other visits have got further with these steps, or with the airdrop. Nothing was stored. */
  | { outcome: 'stale'; steps: StepRef[] }
  | { outcome: 'lanePaused' }
  /** A lane is ahead of the journal, and a step pays out on credit. */
  | { outcome: 'held' }
  /** Others have taken each nonce that was tried, until `tryNoncesMs` was over. */
  | { outcome: 'laneBusy' }

/**
 * How long the recorder tries for a nonce. Whenever it loses one, another caller has got
 * one, so it would end without this.
 */
const tryNoncesMs = 5_000

/**
 * Takes the lane's nonce, stores the signed bytes and ties them to the steps: all or nothing. The bytes are
 * signed before, for the nonce that the lane shows, and stored only if the locked lane still shows it: however
 * long a signer takes, no lock and no connection waits for it. Where this process has taken the lane's last two
 * nonces, the next one is guessed and the lane is not read before; if the lane has moved all the same, or is
 * paused, the signature is wasted.
 */
export function createTransactionRecorder(database: Database) {
  /** What each lane showed after the last transaction that was stored here. */
  const last = new Map<string, { next: number; isOnlyOurs: boolean }>()

  return async (entry: NewTransaction, now: number): Promise<RecordOutcome> => {
    const name = `${entry.chainId} ${entry.signer}`
    const before = last.get(name)
    last.delete(name)
    let guess = before?.isOnlyOurs ? before.next : null
    const started = performance.now()
    while (performance.now() - started < tryNoncesMs) {
      const lane = guess === null ? await database.knex<LaneRow>('lanes').where(laneKeyOf(entry)).first() : null
      if (guess === null && lane?.status !== 'active') return { outcome: 'lanePaused' }
      const nonce = guess ?? lane!.next_nonce
      guess = null
      const form = await entry.sign(nonce)
      const recorded = await storeSigned(database, entry, { nonce, form }, now)
      if (recorded.outcome === 'recorded') last.set(name, { next: nonce + 1, isOnlyOurs: before?.next === nonce })
      if (recorded.outcome !== 'nonceTaken') return recorded
    }
    return { outcome: 'laneBusy' }
  }
}

/** Bytes, and the nonce of the lane that they were signed for. */
type Signed = { nonce: number; form: SignedForm }

type StoreOutcome = RecordOutcome | { outcome: 'nonceTaken' }

/** Stores signed bytes, if the lane, the steps and the airdrop are still as they were when the bytes were signed. */
async function storeSigned(
  database: Database,
  entry: NewTransaction,
  signed: Signed,
  now: number,
): Promise<StoreOutcome> {
  // In the order in which `readStepsOf` reads them back.
  const steps = [...entry.steps].sort((a, b) => byRef(a.ref, b.ref))
  /** As the last run of the transaction found them, for what its failure means. */
  let withoutAccount: readonly StepRef[] = []
  const store = async (trx: Transaction): Promise<StoreOutcome> => {
    const { lane, ahead, rows } = await lockForRecording(trx, entry)
    if (lane?.status !== 'active') return { outcome: 'lanePaused' }
    const judged = judgeSteps(steps, rows)
    withoutAccount = judged.withoutAccount
    if (judged.stale.length > 0) return { outcome: 'stale', steps: judged.stale }
    const pays = [...rows.values()].some(({ step_key }) => step_key !== null)
    if (pays && ahead.length > 0) return { outcome: 'held' }
    if (entry.airdrop && !(await lockOpenAirdrop(trx, entry.airdrop))) return { outcome: 'stale', steps: [] }
    // After the steps: where another visit has got further with one of them, no other nonce helps.
    if (lane.next_nonce !== signed.nonce) return { outcome: 'nonceTaken' }
    return writeRecorded(trx, entry, { ...signed, ...judged, refs: steps.map(({ ref }) => ref) }, now)
  }
  try {
    return await database.transact(store)
  } catch (error) {
    // Another step has taken one of these accounts by now.
    if (withoutAccount.length > 0 && isDuplicate(error)) return { outcome: 'stale', steps: [...withoutAccount] }
    throw error
  }
}

/** Locks the lane and the steps, by one trip. `ahead`: the lanes that are ahead of the journal, on any chain. */
async function lockForRecording(trx: Transaction, entry: NewTransaction) {
  const refs = entry.steps.map(({ ref }) => ref)
  const [[lane], ahead, locked = []] = await trx.together(
    trx.lock(trx<LaneRow>('lanes').where(laneKeyOf(entry))),
    someLaneAhead(trx),
    ...(refs.length > 0 ? [lockedSteps(trx, refs)] : []),
  )
  return { lane, ahead, rows: byName(locked) }
}

type Judged = {
  /** The steps that are still at the attempt that was signed for, and that no transaction carries yet. */
  carried: CarriedStep[]
  /** The steps that other visits have got further with. */
  stale: StepRef[]
  /** Of the carried ones, those whose account another visit, which was told to wait, has given back meanwhile. */
  withoutAccount: StepRef[]
}

/** Which of the steps a transaction that was signed for them may carry. */
function judgeSteps(steps: readonly StepAttempt[], rows: ReadonlyMap<string, StepRow>): Judged {
  const judged: Judged = { carried: [], stale: [], withoutAccount: [] }
  for (const { ref, attempt } of steps) {
    const step = rows.get(nameOfStep(ref))
    const isOpen = step?.status === 'executing' && step.transaction_id === null && attemptOf(step) === attempt
    if (isOpen) judged.carried.push(toCarried(step))
    else judged.stale.push(ref)
    if (isOpen && step.kind === 'delegated' && step.open_account === null) judged.withoutAccount.push(ref)
  }
  return judged
}

/** Writes the transaction, its first form and the lane's next nonce, and ties its steps and its airdrop to it. */
async function writeRecorded(
  trx: Transaction,
  entry: NewTransaction,
  { nonce, form, refs, carried, withoutAccount }: Signed & Judged & { refs: readonly StepRef[] },
  now: number,
): Promise<RecordOutcome> {
  const laneKey = laneKeyOf(entry)
  const row = newRow({ ...entry, nonce, signedFor: entry.steps.map(({ ref }) => ref) }, now)
  // The id is read where it is written: asking for it would be a trip of its own.
  const inserted = { ...laneKey, nonce }
  const readId = () => trx<TransactionRow>('transactions').where(inserted).select('id')
  trx.later(trx('transactions').insert(row))
  trx.later(trx(formsTable).insert(formColumns(readId(), form, now)))
  trx.later(
    trx('lanes')
      .where(laneKey)
      .update({ next_nonce: nonce + 1, updated_at: now }),
  )
  const change: StepChange = { transaction_id: inserted, transaction_hash: form.hash, due_at: null }
  const retaken: StepChange = { ...change, open_account: 'own' }
  const changed = await changeSteps(
    trx,
    refs.map((ref) => ({ ref, change: withoutAccount.includes(ref) ? retaken : change })),
    now,
  )
  const id = changed[0]?.transaction_id ?? (await readId().first())!.id
  if (entry.airdrop) await bindAirdrop(trx, entry.airdrop, { id, hash: form.hash })
  const transaction = toTransaction({ ...row, id }, [form], carried)
  return { outcome: 'recorded', transaction, steps: changed.map(toStepView) }
}

function laneKeyOf({ chainId, signer }: Pick<NewTransaction, 'chainId' | 'signer'>) {
  return { chain_id: chainId, signer }
}

function byRef(a: StepRef, b: StepRef): number {
  if (a.actionId !== b.actionId) return a.actionId < b.actionId ? -1 : 1
  return a.intentIndex - b.intentIndex || a.stepIndex - b.stepIndex
}
