import { accountOf, nameOfStep, type StepRef } from '../../domain/action.js'
import type { StepWork } from '../../store/actions/steps.js'
import type { Visit } from '../visit.js'

export type Accounts = ReturnType<typeof createAccounts>

/** How soon the first step that waits for an account looks again by itself; each one after it so much later. */
const againMs = 200
/** The time from one look to the next among all steps that wait: the more of them, the later each looks again. */
const everyMs = 10
/**
 * How soon a step looks again that was called and has found the account taken: it may have looked just before it was
 * free.
 */
const firstAgainMs = 50
/** How late at most a step looks again: others may have freed the account, in another process. */
const latestMs = 10_000
/**
 * How late those may that have more than so many before them, in a crowd: thousands may wait, most of them for long.
 */
const inCrowd = { behind: 1, latestMs: 20_000 }
/** A queue that no step has come to for so long is forgotten; steps that still wait do so in another process. */
const forgottenMs = 60_000
/** A waiting step that is so late to look again is taken to be carried out by another process. */
const lateMs = 2_000

/**
 * Lets the 7702 steps of a user on a chain have his account one after the other, in the order in which they came. Which
 * step has it is in the store; kept here are only the steps that wait, so that the next one is called when the account
 * is free, and hundreds that wait for one account don't look all the time. A step that comes new does not pass by those
 * that wait, else the first would wait for as long as there are new ones. Nor does a step that looks by itself pass by
 * one that was called.
 * States of a step that waits: waiting → called (the account was free) → gone, or waiting again where it was, if
 * another step was faster. That another process has carried a step out shows when it is called, or when it does not
 * come; it is gone then, and the next one is called.
 */
export function createAccounts(deps: {
  /** Makes a step the one open step of its user on its chain. False: another one is. */
  take: (work: StepWork) => Promise<boolean>
  /** Has a step hold no account any more. */
  giveBack: (ref: StepRef) => Promise<void>
  /** Has a step looked at at once. False: it waits no more, since others have carried it out or ended it. */
  hurry: (ref: StepRef) => Promise<boolean>
  now: () => number
}) {
  /** By account, the one that was asked for last at the end. */
  const queues = new Map<string, Queue>()
  /** How many steps wait, for whichever account. */
  let crowd = 0

  return {
    isAwaited,

    /** Gives a step its user's account. `waits`: others have it, or come first. */
    async take(work: StepWork): Promise<{ outcome: 'taken' } | Extract<Visit, { outcome: 'waits' }>> {
      const isTaken = work.hasAccount || (!isAwaited(work) && !isBehindCalled(work) && (await deps.take(work)))
      if (!isTaken) return { outcome: 'waits', delayMs: waitFor(work) }
      leave(work)
      return { outcome: 'taken' }
    },

    /** Lets the next one have the account of a step that has to wait for something else. */
    async giveBack(work: StepWork): Promise<void> {
      await deps.giveBack(work.ref)
      await callNext(accountOf(work))
    },

    /** Tells that these steps hold no account any more. Never throws. */
    async freed(works: readonly StepWork[]): Promise<void> {
      // A step that has ended while it waited is not to be called.
      works.forEach(leave)
      const accounts = new Set(works.filter(({ kind }) => kind === 'delegated').map(accountOf))
      await Promise.all([...accounts].map(callNext))
    },
  }

  /** Whether others wait for the account of a step that does not wait for it yet. */
  function isAwaited(work: StepWork): boolean {
    const waiting = queues.get(accountOf(work))?.waiting
    if (!waiting || waiting.has(nameOfStep(work.ref))) return false
    for (const entry of waiting.values()) if (!isLate(entry)) return true
    return false
  }

  /** Whether one that came before a step was called and is about to have the account that both wait for. */
  function isBehindCalled(work: StepWork): boolean {
    const waiting = queues.get(accountOf(work))?.waiting
    const own = nameOfStep(work.ref)
    if (!waiting?.has(own) || waiting.get(own)!.isCalled) return false
    for (const [name, entry] of waiting) {
      if (name === own) return false
      if (entry.isCalled && !isLate(entry)) return true
    }
    return false
  }

  function waitFor(work: StepWork): number {
    const account = accountOf(work)
    const name = nameOfStep(work.ref)
    const waiting = queues.get(account)?.waiting ?? new Map<string, Waiting>()
    const wasCalled = waiting.get(name)?.isCalled === true
    const entry = { ref: work.ref, isCalled: false, comesAt: 0 }
    if (!waiting.has(name)) crowd += 1
    // A step that waits already keeps its place.
    waiting.set(name, entry)
    queues.delete(account)
    queues.set(account, { waiting, touchedAt: deps.now() })
    forgetOld()
    const waitMs = wasCalled ? firstAgainMs : waitAt(name, waiting)
    entry.comesAt = deps.now() + waitMs
    return waitMs
  }

  function waitAt(name: string, waiting: Queue['waiting']): number {
    let place = 1
    for (const other of waiting.keys()) {
      if (other === name || place * againMs >= latestMs) break
      place += 1
    }
    const ownMs = Math.min(place * againMs, latestMs)
    return Math.min(Math.max(ownMs, crowd * everyMs), place > inCrowd.behind + 1 ? inCrowd.latestMs : latestMs)
  }

  function leave(work: StepWork): void {
    remove(accountOf(work), nameOfStep(work.ref))
  }

  function remove(account: string, name: string): void {
    const queue = queues.get(account)
    if (queue?.waiting.delete(name)) crowd -= 1
    if (queue?.waiting.size === 0) queues.delete(account)
  }

  async function callNext(account: string): Promise<void> {
    for (const [name, entry] of queues.get(account)?.waiting ?? []) {
      if (entry.isCalled) {
        if (isLate(entry)) remove(account, name)
        continue
      }
      entry.isCalled = true
      entry.comesAt = deps.now()
      // A step that could not be called looks by itself before long.
      if (await deps.hurry(entry.ref).catch(() => true)) return
      remove(account, name)
    }
  }

  function isLate({ comesAt }: Waiting): boolean {
    return deps.now() >= comesAt + lateMs
  }

  function forgetOld(): void {
    for (const [account, { touchedAt, waiting }] of queues) {
      if (deps.now() - touchedAt < forgottenMs) return
      queues.delete(account)
      crowd -= waiting.size
    }
  }
}

type Waiting = {
  ref: StepRef
  isCalled: boolean
  /** When the step looks again, at the latest. */
  comesAt: number
}

type Queue = { waiting: Map<string, Waiting>; touchedAt: number }
