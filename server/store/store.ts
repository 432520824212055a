import type { StepRef } from '../domain/action.js'
import type { AirdropKey } from '../domain/airdrop.js'
import { grouped } from '../concurrency/grouped.js'
import { findIntentBySignature, listActions, readAction, readIntent } from './actions/actions.js'
import {
  adoptAirdrop,
  claimDueAirdrops,
  failAirdrop,
  postponeAirdrop,
  readAirdrop,
  readAirdropOf,
  readAirdropRounds,
  readUnpaidAirdrops,
  requestAirdrop,
} from './airdrops.js'
import { readBalances } from './money/balances.js'
import { readGenesis, rememberGenesis } from './chainIdentities.js'
import { endLeases, pullInFarOff } from './claims.js'
import type { Database } from './connection/database.js'
import { claimDueDeposits, postponeDeposits, readDeposits, reportDeposit, settleDeposit } from './money/deposits.js'
import { noteEmptyLedger } from './emptyLedger.js'
import { readEventCounts, readEvents, readProgress } from './actions/events.js'
import { noteDepths } from './journal/depths.js'
import { noteMined, noteSend, postponeTransactions, recordForm } from './journal/journal.js'
import { giveUpFiller, recordFiller, reopenLost } from './journal/laneGaps.js'
import {
  findOpenByHash,
  standsForNonce,
  hasOpenTransactions,
  lowestUnminedNonce,
  unminedNonces,
  readUnmined,
  readDueTransactions,
  readMinedPlaces,
  readMinedTransactions,
  readUnminedOf,
} from './journal/journalTransactions.js'
import {
  countOpenOf,
  noteLaneAhead,
  noteLanesOpen,
  openLane,
  pauseLane,
  readLanes,
  readUsedUp,
  resumeLane,
  retireLane,
} from './journal/lanes.js'
import { readOpenExposures, settleExposure } from './money/exposures.js'
import { createActionIntake, findKnownAction } from './actions/newActions.js'
import { giveAccountBack, takeAccounts } from './actions/accounts.js'
import { reserveForStep } from './journal/reserveForStep.js'
import { fixStepKey } from './actions/stepKeys.js'
import { readSettledBlocks, undoBlock } from './journal/reorganisations.js'
import { readStuck, readUnsettled, readWaiting, takesWrites } from './healthReads.js'
import { noteCheckedBlock, readCheckedBlock, readDraining, setDraining } from './serviceState.js'
import { settleStep, settleTransaction } from './journal/settlement.js'
import {
  claimDueSteps,
  noteConfirmations,
  hurrySteps,
  postponeSteps,
  readSteps,
  readStepWorks,
  readStepsOf,
  type StepWait,
} from './actions/steps.js'
import { createStepRequests } from './stepRequests.js'
import { sweep } from './sweep.js'
import { createTransactionRecorder } from './journal/transactionRecorder.js'
import { createVenueTxHashStore } from './venueTxHashes.js'

/** At most so many small reads or writes of one kind share a statement. */
const mostAtOnce = 64

export type Store = ReturnType<typeof createStore>

/**
 * What the API and the engine do to the database, as functions of plain values. (What is done at the start, and by
 * tools, is in functions that are given the `Database`.)
 */
export function createStore(database: Database) {
  const on =
    <Args extends unknown[], Result>(operation: (database: Database, ...args: Args) => Result) =>
    (...args: Args): Result =>
      operation(database, ...args)

  const readStep = grouped((refs: StepRef[]) => readSteps(database, refs), mostAtOnce)
  const postpone = grouped((waits: StepWait[]) => postponeSteps(database, waits), mostAtOnce)

  return {
    /**
     * How many database transactions are worth running side by side. SQLite has one
     * connection, for which all of them wait.
     */
    transactionsAtOnce: database.kind === 'sqlite' ? 1 : 4,

    insertAction: createActionIntake(database),
    findKnownAction: on(findKnownAction),
    readAction: on(readAction),
    readIntent: on(readIntent),
    listActions: on(listActions),
    findIntentBySignature: on(findIntentBySignature),
    readEvents: on(readEvents),
    readEventCounts: on(readEventCounts),
    readProgress: on(readProgress),

    /** Grouped: asked for most often of all. */
    readStep,
    readStepsOf: on(readStepsOf),
    readStepWork: grouped((refs: StepRef[]) => readStepWorks(database, refs), mostAtOnce),
    /** The step before this one in its intent; null for the first. */
    readPreviousStep: async (ref: StepRef) =>
      ref.stepIndex === 0 ? null : readStep({ ...ref, stepIndex: ref.stepIndex - 1 }),
    requestStep: createStepRequests(database),
    claimDueSteps: on(claimDueSteps),
    endLeases: on(endLeases),
    pullInFarOff: on(pullInFarOff),
    postponeStep: (ref: StepRef, delayMs: number, unseen?: StepWait['unseen']) => postpone({ ref, delayMs, unseen }),
    /** Grouped: many accounts are freed at once, those of a bundle. */
    hurryStep: grouped(on(hurrySteps), mostAtOnce),
    noteConfirmations: on(noteConfirmations),

    takeAccounts: on(takeAccounts),
    giveAccountBack: on(giveAccountBack),
    reserveForStep: on(reserveForStep),
    fixStepKey: on(fixStepKey),
    settleStep: on(settleStep),
    settleTransaction: on(settleTransaction),

    noteEmptyLedger: on(noteEmptyLedger),
    openLane: on(openLane),
    noteLanesOpen: on(noteLanesOpen),
    readLanes: on(readLanes),
    noteLaneAhead: on(noteLaneAhead),
    pauseLane: on(pauseLane),
    readUsedUp: on(readUsedUp),
    resumeLane: on(resumeLane),
    retireLane: on(retireLane),
    /** Grouped: each transaction that is recorded asks, where there are several lanes. */
    countOpenOf: grouped(on(countOpenOf), mostAtOnce),

    recordTransaction: createTransactionRecorder(database),
    recordForm: on(recordForm),
    recordFiller: on(recordFiller),
    standsForNonce: on(standsForNonce),
    giveUpFiller: on(giveUpFiller),
    reopenLost: on(reopenLost),
    adoptAirdrop: on(adoptAirdrop),
    noteSend: on(noteSend),
    noteDepths: on(noteDepths),
    noteMined: on(noteMined),
    postponeTransactions: on(postponeTransactions),
    findOpenByHash: on(findOpenByHash),
    readDueTransactions: on(readDueTransactions),
    readUnminedOf: on(readUnminedOf),
    readMinedTransactions: on(readMinedTransactions),
    readMinedPlaces: on(readMinedPlaces),
    hasOpenTransactions: on(hasOpenTransactions),
    lowestUnminedNonce: on(lowestUnminedNonce),
    unminedNonces: on(unminedNonces),
    readUnmined: on(readUnmined),

    readSettledBlocks: on(readSettledBlocks),
    readCheckedBlock: on(readCheckedBlock),
    noteCheckedBlock: on(noteCheckedBlock),
    undoBlock: on(undoBlock),
    readOpenExposures: on(readOpenExposures),
    settleExposure: on(settleExposure),

    requestAirdrop: on(requestAirdrop),
    readAirdrop: on(readAirdrop),
    /** Grouped: many requests poll these. */
    readAirdropRound: grouped(
      (rounds: (AirdropKey & { round: number })[]) => readAirdropRounds(database, rounds),
      mostAtOnce,
    ),
    readAirdropOf: on(readAirdropOf),
    readUnpaidAirdrops: on(readUnpaidAirdrops),
    claimDueAirdrops: on(claimDueAirdrops),
    postponeAirdrop: on(postponeAirdrop),
    failAirdrop: on(failAirdrop),

    reportDeposit: on(reportDeposit),
    /** Grouped: many requests poll these. */
    readDeposit: grouped((ids: number[]) => readDeposits(database, ids), mostAtOnce),
    claimDueDeposits: on(claimDueDeposits),
    postponeDeposit: grouped(on(postponeDeposits), mostAtOnce),
    settleDeposit: on(settleDeposit),
    readBalances: on(readBalances),

    readDraining: on(readDraining),
    setDraining: on(setDraining),
    takesWrites: on(takesWrites),
    readWaiting: on(readWaiting),
    readStuck: on(readStuck),
    readUnsettled: on(readUnsettled),

    sweep: on(sweep),
    readGenesis: on(readGenesis),
    rememberGenesis: on(rememberGenesis),

    venueTxHashes: createVenueTxHashStore(database),

    /** Resolves once the database has answered. */
    ping: async (): Promise<void> => {
      await database.clock()
    },
  }
}
