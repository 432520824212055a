import type { EngineTools } from './tools.js'

const everyMs = 10 * 60 * 1000

/** Clears out of the store what has run out, now and then; any replica may, at any time. */
export function createSweeper({ store, log, now }: Pick<EngineTools, 'store' | 'log' | 'now'>) {
  let timer: NodeJS.Timeout | null = null
  let sweeping: Promise<void> | null = null
  const stopping = new AbortController()

  return {
    start(): void {
      timer = setInterval(() => {
        sweeping ??= store
          .sweep(now(), stopping.signal)
          .catch((error: unknown) => log.warn({ err: error }, 'the store could not be swept'))
          .finally(() => (sweeping = null))
      }, everyMs)
    },
    async stop(): Promise<void> {
      if (timer) clearInterval(timer)
      stopping.abort()
      await sweeping
    },
  }
}
