import { nameOfStep, type StepAttempt } from '../../domain/action.js'

/** So many simulations of a step in a row may come to no end. */
const most = 5
/** Of so many steps it is known at most. */
const mostKept = 10_000

export type LateSimulations = ReturnType<typeof createLateSimulations>

/**
 * Steps whose simulation takes nodes longer than they are waited for. Each try keeps a node busy and others waiting, so it is
 * made ever later, and in the end no more. Another process counts for itself.
 */
export function createLateSimulations() {
  const late = new Map<string, number>()
  const keyOf = ({ ref, attempt }: StepAttempt) => `${nameOfStep(ref)} ${attempt}`

  return {
    /** Whether its last simulation was late. */
    wasLate: (step: StepAttempt) => late.has(keyOf(step)),

    /** Answers when to try it again, in milliseconds; null: it has been tried often enough. */
    note(step: StepAttempt, pollIntervalMs: number): number | null {
      const key = keyOf(step)
      const times = (late.get(key) ?? 0) + 1
      late.delete(key)
      if (times === most) return null
      late.set(key, times)
      const [oldest] = late.keys()
      if (late.size > mostKept) late.delete(oldest!)
      return pollIntervalMs * 2 ** times
    },

    /** It has come to its end. */
    forget: (step: StepAttempt) => void late.delete(keyOf(step)),
  }
}
