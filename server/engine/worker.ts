import type { Logger } from 'pino'
import type { Claim } from '../store/claims.js'
import { createPlaces } from './places.js'
import type { Visit } from './visit.js'

/** Rows of one kind that are due, and what a visit does for one of them. */
export type Queue<Work> = {
  name: string
  /** Takes due rows. */
  claim(claim: Claim): Promise<Work[]>
  chainOf(work: Work): number
  /** How much text a row holds in memory, in characters; 0 where all hold little. */
  lengthOf(work: Work): number
  /** Does the next thing for a row; short, and as good the second time as the first. */
  visit(work: Work): Promise<Visit>
  /** Makes a row due again after a while. */
  postpone(work: Work, delayMs: number): Promise<void>
  /** What the log names a row by. */
  label(work: Work): Record<string, unknown>
}

/**
 * Room for a visit to a row that is not due yet. Whoever has the seat leases a row to himself and then gives it, or
 * leaves.
 */
type Seat<Work> = {
  /** For how long the row is to be leased. */
  leaseMs: number
  /** Has the leased row visited at once. */
  give(work: Work): void
  /** Makes room for others, unless a row was given. */
  leave(): void
}

/** A claimed row is due again after this, if its visit never ends. */
const leaseMs = 15_000
/**
 * How many claimed rows are visited at once; and as many that were given by seats, so that neither kind keeps the other
 * waiting. One chain alone gets half of them, several bundles of steps: while some steps are simulated and others
 * signed, there are still some to begin with.
 */
const places = 256
/** A row takes one place for each so many characters that it holds. */
const ofPlace = 16 * 1024
/** How many places a row takes at most: one that holds more must not take the places of other chains. */
const mostPlaces = 16
/** How long the worker sleeps at most: the backstop when no wake-up comes. */
const pollMs = 200
/**
 * How many places a row is taken to need until the first claim has shown it: so few that the first claim fills a
 * bundle.
 */
const firstGuess = 4
/**
 * How soon a row whose visit has failed is visited again, at first; then ever later while all visits of its chain fail.
 */
const faultMs = 1_000
const latestFaultMs = 5_000
/** What part of the time for which all visits of a chain have failed passes until the next one. */
const laterShare = 0.5

/**
 * Visits due rows of a queue until stopped. `now` is a clock in milliseconds.
 * States: idle (sleeping until woken or the poll) → claiming → visiting (up to `places` at once) → idle.
 */
export function createWorker<Work>(queue: Queue<Work>, log: Logger, now: () => number = () => performance.now()) {
  const visits = new Set<Promise<void>>()
  /** Since when all visits of a chain have failed, and when the log was told last. */
  const failing = new Map<number, { since: number; toldAt: number }>()
  const claimed = createPlaces(places)
  /** How many places each of the rows that were claimed last took, on average. */
  let usual = firstGuess
  const seated = createPlaces(places)
  /** False before `start`: a process without an engine has a worker too. */
  let isRunning = false
  let wakeUp: (() => void) | null = null
  let woken = false
  let loop: Promise<void> = Promise.resolve()

  return {
    start(): void {
      isRunning = true
      loop = run()
    },
    /**
     * A seat for a row of this size. Null: there is no room, or no visits are made here; the row is then claimed once
     * it is due, by whoever can.
     */
    takeSeat(work: Work): Seat<Work> | null {
      const chainId = queue.chainOf(work)
      if (!isRunning || seated.isFull(chainId)) return null
      const count = placesOf(work)
      seated.take(chainId, count)
      let isHeld = true
      const free = () => seated.leave(chainId, count)
      const takeBack = () => {
        const wasHeld = isHeld
        isHeld = false
        return wasHeld
      }
      return {
        leaseMs,
        give(work) {
          if (!takeBack()) return
          // A row that comes after the end is for others, at the latest when its lease is over.
          track(isRunning ? visit(work) : queue.postpone(work, 0).catch(() => undefined), free)
        },
        leave() {
          if (takeBack()) free()
        },
      }
    },
    /** Looks for work at once. */
    wake(): void {
      woken = true
      wakeUp?.()
    },
    /** Claims nothing more and lets the visits under way come to their end. */
    async stop(): Promise<void> {
      isRunning = false
      wakeUp?.()
      await loop
      await Promise.all(visits)
    },
  }

  async function run(): Promise<void> {
    while (isRunning) {
      woken = false
      const room = claimed.room()
      const limit = room > 0 ? Math.max(Math.floor(room / usual), 1) : 0
      const due = limit > 0 ? await claim(limit) : []
      for (const work of due) {
        if (claimed.isFull(queue.chainOf(work))) putBack(work)
        else begin(work)
      }
      if (due.length > 0) usual = due.reduce((sum, work) => sum + placesOf(work), 0) / due.length
      if (due.length < limit || limit === 0) await sleep()
    }
  }

  async function claim(limit: number): Promise<Work[]> {
    try {
      return await queue.claim({ limit, leaseMs, notOf: claimed.full() })
    } catch (error) {
      log.error({ err: error, queue: queue.name }, 'work could not be claimed')
      return []
    }
  }

  function begin(work: Work): void {
    const chainId = queue.chainOf(work)
    const count = placesOf(work)
    claimed.take(chainId, count)
    track(visit(work), () => claimed.leave(chainId, count))
  }

  /** Leaves a row to whoever has room: the rows that were claimed before it turned out to hold much. */
  function putBack(work: Work): void {
    // If that fails, the row is due when its lease is over.
    track(queue.postpone(work, 0).catch(() => undefined))
  }

  function placesOf(work: Work): number {
    return Math.min(Math.max(Math.ceil(queue.lengthOf(work) / ofPlace), 1), mostPlaces)
  }

  function track(done: Promise<void>, free: () => void = () => undefined): void {
    visits.add(done)
    void done.finally(() => {
      visits.delete(done)
      free()
      wakeUp?.()
    })
  }

  async function visit(work: Work): Promise<void> {
    try {
      const result = await queue.visit(work)
      failing.delete(queue.chainOf(work))
      if (result.outcome === 'waits') await queue.postpone(work, result.delayMs)
      if (result.outcome === 'moved') woken = true
    } catch (error) {
      const { delayMs, level } = noteFault(queue.chainOf(work))
      log[level]({ err: error, queue: queue.name, ...queue.label(work), delayMs }, 'visit failed; it will be repeated')
      await queue.postpone(work, delayMs).catch(() => undefined)
    }
  }

  /** While a chain's visits fail, its nodes are not asked for each row every second, nor is the log told of each. */
  function noteFault(chainId: number): { delayMs: number; level: 'warn' | 'debug' } {
    const at = now()
    const fault = failing.get(chainId) ?? { since: at, toldAt: -Infinity }
    failing.set(chainId, fault)
    const delayMs = Math.round(Math.min(Math.max((at - fault.since) * laterShare, faultMs), latestFaultMs))
    if (at - fault.toldAt < delayMs) return { delayMs, level: 'debug' }
    fault.toldAt = at
    return { delayMs, level: 'warn' }
  }

  function sleep(): Promise<void> {
    if (woken || !isRunning) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(done, pollMs)
      wakeUp = done
      function done() {
        clearTimeout(timer)
        wakeUp = null
        resolve()
      }
    })
  }
}
