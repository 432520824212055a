import type { Load, LoadResult } from './load.js'
import { type Child, startProcess } from './startProcess.js'

export type LoadGenerator = {
  run(load: Load): Promise<LoadResult>
  stop(): Promise<void>
}

/** Starts the process that sends requests. A run with any answer but success is no measurement and throws. */
export async function startLoadGenerator(): Promise<LoadGenerator> {
  const child: Child<string> = await startProcess('load.ts')
  return {
    async run(load) {
      const result = await child.ask<LoadResult>(load)
      const bad = Object.entries(result.statuses).filter(([status]) => !/^[23]/.test(status))
      if (bad.length > 0) throw new Error(`${load.url} answered ${JSON.stringify(result.statuses)}`)
      return result
    },
    stop: child.stop,
  }
}
