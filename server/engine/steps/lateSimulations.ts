import { nameOfStep, type StepAttempt } from '../../domain/action.js'
import { longestPutOffMs } from '../../domain/putOff.js'

/** How many simulations of a step in a row may come to no end while those of others do. */
const most = 5
/** How late at most a step is tried again of which it does not show whether the delay is its own doing. */
const latestMs = 5_000
/** How many late steps are remembered at most. */
const mostKept = 10_000

/** `others`: how many simulations of its chain had come to their end when it was last counted. */
type Late = { tries: number; counted: number; others: number }

export type LateSimulations = ReturnType<typeof createLateSimulations>

/**
 * Steps whose simulation takes nodes longer than they are waited for. Each try keeps a node busy and other steps
 * waiting, so tries come ever later, and in the end no more. Counted are only those beside which simulations of other
 * steps have come to their end: where none do, the nodes are slow, and are waited for. Another process counts for
 * itself.
 */
export function createLateSimulations() {
  const late = new Map<string, Late>()
  /** By chain id, how many simulations have come to their end. */
  const ended = new Map<number, number>()
  const keyOf = ({ ref, attempt }: StepAttempt) => `${nameOfStep(ref)} ${attempt}`
  const endedOn = (chainId: number) => ended.get(chainId) ?? 0

  return {
    /** Whether the step's last simulation was late. */
    wasLate: (step: StepAttempt) => late.has(keyOf(step)),

    /**
     * Notes that a step's simulation was late. Answers when to try it again, in milliseconds; null: it has been tried
     * often enough.
     */
    note(step: StepAttempt, chain: { chainId: number; pollIntervalMs: number }): number | null {
      const key = keyOf(step)
      const others = endedOn(chain.chainId)
      const { tries, counted, others: before } = late.get(key) ?? { tries: 0, counted: 0, others }
      late.delete(key)
      const isItsOwn = others > before
      if (isItsOwn && counted + 1 === most) return null
      late.set(key, { tries: tries + 1, counted: counted + Number(isItsOwn), others })
      const [oldest] = late.keys()
      if (late.size > mostKept) late.delete(oldest!)
      const delayMs = Math.min(chain.pollIntervalMs * 2 ** Math.min(tries + 1, most), longestPutOffMs.steps)
      return isItsOwn ? delayMs : Math.min(delayMs, Math.max(latestMs, chain.pollIntervalMs))
    },

    /** Notes that a step's simulation has come to its end. */
    ended(step: StepAttempt, chainId: number): void {
      late.delete(keyOf(step))
      ended.set(chainId, endedOn(chainId) + 1)
    },
  }
}
