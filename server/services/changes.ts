import { EventEmitter } from 'node:events'
import type { StepView } from '../domain/views.js'

/**
 * Resolves on a topic's next change in this process with what was told of it, or after `timeoutMs`, or when the caller
 * gives up. `isWanted`: passes over the changes for which it is false. Topics: see `domain/topics.ts`.
 */
export type NextChange<Told = unknown> = (
  topic: string,
  timeoutMs: number,
  signal: AbortSignal,
  isWanted?: (told: Told) => boolean,
) => Promise<Told>

export type Changes = {
  /** `steps`: as they have just been stored, so that no waiting request has to read them. */
  tell(topic: string, steps?: readonly StepView[]): void
  next: NextChange<readonly StepView[]>
}

/**
 * Tells requests of this process that something they wait for has moved: a step of an action, a deposit, an
 * airdrop. It only saves latency: a waiting request also looks into the database by itself, since the change
 * may have been another replica's.
 */
export function createChanges(): Changes {
  const emitter = new EventEmitter().setMaxListeners(0)
  return {
    tell(topic, steps = []) {
      emitter.emit(topic, steps)
    },

    next(topic, timeoutMs, signal, isWanted = () => true) {
      if (signal.aborted) return Promise.resolve([])
      return new Promise((resolve) => {
        const giveUp = () => done([])
        const timer = setTimeout(giveUp, timeoutMs)
        emitter.on(topic, hear)
        signal.addEventListener('abort', giveUp, { once: true })
        function hear(steps: readonly StepView[]) {
          if (isWanted(steps)) done(steps)
        }
        function done(steps: readonly StepView[]) {
          clearTimeout(timer)
          emitter.off(topic, hear)
          signal.removeEventListener('abort', giveUp)
          resolve(steps)
        }
      })
    },
  }
}
