import type { Store } from '../store/store.js'
import type { EngineTools } from './tools.js'

const sweepEveryMs = 10 * 60 * 1000
const pullInEveryMs = 10_000

type Job = { timer: NodeJS.Timeout; underWay: () => Promise<void> | null }

/** What the store needs now and then; any replica may see to it, at any time. */
export function createUpkeep({
  store,
  chains,
  log,
  now,
}: Pick<EngineTools, 'log' | 'now'> & {
  store: Pick<Store, 'sweep' | 'pullInFarOff'>
  chains: ReadonlyMap<number, unknown>
}) {
  const stopping = new AbortController()
  let jobs: Job[] = []

  return {
    start(): void {
      jobs = [
        repeated(sweepEveryMs, () => store.sweep(now(), stopping.signal), 'the store could not be swept'),
        repeated(
          pullInEveryMs,
          () => store.pullInFarOff([...chains.keys()], now()),
          'what a clock had put off too far could not be looked for',
        ),
      ]
    },
    async stop(): Promise<void> {
      for (const { timer } of jobs) clearInterval(timer)
      stopping.abort()
      await Promise.all(jobs.map(({ underWay }) => underWay()))
    },
  }

  /** Does the work now and then, and never begins it again while it is under way. */
  function repeated(everyMs: number, work: () => Promise<void>, failed: string): Job {
    let underWay: Promise<void> | null = null
    const timer = setInterval(() => {
      underWay ??= work()
        .catch((error: unknown) => log.warn({ err: error }, failed))
        .finally(() => (underWay = null))
    }, everyMs)
    return { timer, underWay: () => underWay }
  }
}
