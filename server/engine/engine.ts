import type { EngineTools } from './tools.js'
import { createChainWatcher } from './watchChain.js'
import { stepQueue } from './stepQueue.js'
import { createWorker } from './worker.js'

export type Engine = ReturnType<typeof createEngine>

/** Carries out what the store says was asked for: one worker for steps, one watcher per chain for transactions. */
export function createEngine(given: Omit<EngineTools, 'wake' | 'look'>) {
  const tools: EngineTools = {
    ...given,
    wake: () => worker.wake(),
    look: (chainId) => watchers.get(chainId)?.look(),
  }
  const worker = createWorker(stepQueue(tools), tools.log)
  const watchers = new Map([...tools.chains].map(([chainId, chain]) => [chainId, createChainWatcher(chain, tools)]))

  return {
    start(): void {
      for (const watcher of watchers.values()) watcher.start()
      worker.start()
    },
    wake: () => worker.wake(),
    /** Takes up nothing new and returns when what was under way has come to a safe point. */
    async stop(): Promise<void> {
      await worker.stop()
      await Promise.all([...watchers.values()].map((watcher) => watcher.stop()))
    },
  }
}
