import type { StepWork } from '../store/steps.js'
import { executeStep } from './executeStep.js'
import type { EngineTools } from './tools.js'
import { verifyStep } from './verifyStep.js'
import { failStep, type Visit, waits } from './visit.js'

/** A claimed step that nobody comes back from is due again after this. */
const leaseMs = 15_000
/** How many steps are visited at once. */
const concurrency = 64
/** The backstop when no wake-up comes. */
const pollMs = 200
const faultMs = 1_000
/** How soon a step looks whether the one before it has succeeded; its success also hurries it. */
const previousMs = 2_000

/**
 * Visits due steps until stopped.
 * States: idle (sleeping until woken or the poll) → claiming → visiting (up to `concurrency` at once) → idle.
 */
export function createWorker(tools: EngineTools) {
  const visits = new Set<Promise<void>>()
  let stopped = false
  let wakeUp: (() => void) | null = null
  let woken = false
  let loop: Promise<void> = Promise.resolve()

  return {
    start(): void {
      loop = run()
    },
    /** Looks for work at once. */
    wake(): void {
      woken = true
      wakeUp?.()
    },
    /** Claims nothing more and lets the visits under way come to their end. */
    async stop(): Promise<void> {
      stopped = true
      wakeUp?.()
      await loop
      await Promise.all(visits)
    },
  }

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false
      const room = concurrency - visits.size
      const claimed = room > 0 ? await claim(room) : []
      for (const work of claimed) track(visit(work))
      if (claimed.length < room || room <= 0) await sleep()
    }
  }

  async function claim(room: number): Promise<StepWork[]> {
    try {
      return await tools.store.claimDueSteps(room, leaseMs)
    } catch (error) {
      tools.log.error({ err: error }, 'steps could not be claimed')
      await sleep()
      return []
    }
  }

  function track(done: Promise<void>): void {
    visits.add(done)
    void done.finally(() => {
      visits.delete(done)
      wakeUp?.()
    })
  }

  async function visit(work: StepWork): Promise<void> {
    try {
      const result = await advance(work, tools)
      if (result.outcome === 'waits') await tools.store.postponeStep(work.ref, result.delayMs)
      else woken = true
    } catch (error) {
      tools.log.warn({ err: error, ...work.ref, chainId: work.view.chainId }, 'visit failed; it will be repeated')
      await tools.store.postponeStep(work.ref, faultMs).catch(() => undefined)
    }
  }

  function sleep(): Promise<void> {
    if (woken || stopped) return Promise.resolve()
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

/** Does the next thing for a step that has no transaction of ours yet. */
async function advance(work: StepWork, tools: EngineTools): Promise<Visit> {
  const previous = await tools.store.readPreviousStep(work.ref)
  if (previous?.status === 'executing') return waits(previousMs)
  if (previous && previous.status !== 'success') {
    const message = `The previous step ended as "${previous.status}"; execute it again, then this one.`
    return failStep(work, { code: 'previous_step_failed', message, retryable: true }, tools)
  }
  return work.kind === 'payment' ? verifyStep(work, tools) : executeStep(work, previous, tools)
}
