import { elapsedMs } from '../domain/elapsed.js'

/** How soon a waiting request looks by itself; a change in this process wakes it at once. */
const lookAgainMs = 250
/** And then ever later, by this part of the time waited: thousands may wait for a minute each. */
const laterShare = 0.1

/** What is waited for, as it was at first, and how to hear of it. */
type Wait<View> = {
  first: View
  hasEnded: (view: View) => boolean
  /** Resolves when it has changed in this process, as that was told if it was, or after the time, or when nobody listens any more. */
  nextChange: (timeoutMs: number, signal: AbortSignal) => Promise<View | undefined>
  /** Null: it is not there any more. */
  look: () => Promise<View | null>
}

/** Resolves with what has come to its end, or as it is after `waitMs`, or when the request is given up. */
export async function awaitEnd<View>(
  { first, hasEnded, nextChange, look }: Wait<View>,
  { waitMs, signal, now }: { waitMs: number; signal: AbortSignal; now: () => number },
): Promise<View> {
  const startedAt = now()
  const waitedMs = () => elapsedMs(startedAt, now())
  const isOver = (view: View) => hasEnded(view) || signal.aborted || waitedMs() >= waitMs
  if (isOver(first)) return first

  const listening = new AbortController()
  // Without a reason an error is made, with its stack.
  const stop = () => listening.abort('over')
  const listen = () => {
    const lookInMs = Math.max(lookAgainMs, waitedMs() * laterShare)
    return nextChange(Math.min(waitMs - waitedMs(), lookInMs), listening.signal)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    let view = first
    let change = listen()
    while (!isOver(view)) {
      const told = await change
      if (told !== undefined && hasEnded(told)) return told
      // Before it looks, so that a change that comes meanwhile is not missed.
      change = listen()
      view = told ?? (await look()) ?? view
    }
    return view
  } finally {
    stop()
    signal.removeEventListener('abort', stop)
  }
}
