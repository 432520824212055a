import { EventEmitter } from 'node:events'

export type Signals = ReturnType<typeof createSignals>

/**
 * Tells requests of this process that a step of an action has moved. It only saves latency: whoever waits also looks
 * by himself, since the change may have been another replica's.
 */
export function createSignals() {
  const emitter = new EventEmitter().setMaxListeners(0)
  return {
    changed(actionId: string): void {
      emitter.emit(actionId)
    },

    /** Resolves on the action's next change, after the time, or when the caller gives up. */
    nextChange(actionId: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = setTimeout(done, timeoutMs)
        emitter.once(actionId, done)
        signal.addEventListener('abort', done, { once: true })
        function done() {
          clearTimeout(timer)
          emitter.off(actionId, done)
          signal.removeEventListener('abort', done)
          resolve()
        }
      })
    },
  }
}
