import { elapsedMs } from '../domain/elapsed.js'

/** How soon a waiting request looks by itself; a change in this process wakes it at once. */
const lookAgainMs = 250
/**
 * A request that has waited for long looks ever later, after this part of its wait:
 * thousands may wait for a minute each.
 */
const laterShare = 0.1

/** What a request waits for, and how to hear of it. */
type Wait<View, Told> = {
  /** As it was when the wait began. */
  first: View
  hasEnded: (view: View) => boolean
  /**
   * Resolves on a change in this process that is wanted with what was told of it, after the
   * time, or once `signal` aborts.
   */
  nextChange: (timeoutMs: number, signal: AbortSignal, isWanted: (told: Told) => boolean) => Promise<Told>
  /**
   * Whether the change that was told of is another's: many may wait for the same action, each for a step of its own.
   */
  isAnothers?: (told: Told) => boolean
  /** The view that was told with a change. Undefined, or without this function: it has to be read by `look`. */
  viewIn?: (told: Told) => View | undefined
  /** Reads it from the database. Null: it is not there any more. */
  look: () => Promise<View | null>
}

/**
 * Resolves with the view once it has ended; with the newest one after `waitMs`, or when
 * the client gives the request up.
 */
export async function awaitEnd<View, Told>(
  { first, hasEnded, nextChange, isAnothers, viewIn, look }: Wait<View, Told>,
  { waitMs, signal, now }: { waitMs: number; signal: AbortSignal; now: () => number },
): Promise<View> {
  const startedAt = now()
  const waitedMs = () => elapsedMs(startedAt, now())
  const isOver = (view: View) => hasEnded(view) || signal.aborted || waitedMs() >= waitMs
  if (isOver(first)) return first

  const listening = new AbortController()
  // A reason is given because an abort without one makes an error with its stack, which takes time.
  const stop = () => listening.abort('over')
  const listen = () => {
    const sinceMs = waitedMs()
    const lookInMs = Math.max(lookAgainMs, sinceMs * laterShare)
    // Another's change is a sign that its own may have come too, which another replica has made.
    const isWanted = (told: Told) => !isAnothers?.(told) || waitedMs() - sinceMs >= lookAgainMs
    return nextChange(Math.min(waitMs - sinceMs, lookInMs), listening.signal, isWanted)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    let view = first
    let change = listen()
    while (!isOver(view)) {
      const news = await change
      const told = viewIn?.(news)
      if (told !== undefined && hasEnded(told)) return told
      // It listens again before it looks, so that a change that comes while it looks is not missed.
      change = listen()
      view = told ?? (await look()) ?? view
    }
    return view
  } finally {
    stop()
    signal.removeEventListener('abort', stop)
  }
}
