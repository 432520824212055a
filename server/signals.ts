import { EventEmitter } from 'node:events'
import type { StepView } from './domain/views.js'

export type Signals = ReturnType<typeof createSignals>

/**
 * Tells requests of this process that something they wait for has moved: a step of an action, a deposit, an airdrop. It only saves latency: whoever waits also looks
 * by himself, since the change may have been another replica's.
 */
export function createSignals() {
  const emitter = new EventEmitter().setMaxListeners(0)
  return {
    /** `steps`: as they have just been stored, so that nobody need read them. */
    changed(topic: string, steps: readonly StepView[] = []): void {
      emitter.emit(topic, steps)
    },

    /** Resolves on the topic's next change with what was told of it, after the time, or when the caller gives up. */
    nextChange(topic: string, timeoutMs: number, signal: AbortSignal): Promise<readonly StepView[]> {
      if (signal.aborted) return Promise.resolve([])
      return new Promise((resolve) => {
        const giveUp = () => done([])
        const timer = setTimeout(giveUp, timeoutMs)
        emitter.once(topic, done)
        signal.addEventListener('abort', giveUp, { once: true })
        function done(steps: readonly StepView[]) {
          clearTimeout(timer)
          emitter.off(topic, done)
          signal.removeEventListener('abort', giveUp)
          resolve(steps)
        }
      })
    },
  }
}
