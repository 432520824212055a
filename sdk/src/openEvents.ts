import { IntentConnectionError, IntentError, IntentTimeoutError } from './errors.js'
import { limitedSignal } from './limitedSignal.js'
import type { Step } from './wire.js'

/** One change of a step. Ids run 1, 2, 3 … for each action. */
export type StepEvent = { id: string; step: Step }

export type EventsOptions = {
  fetch: typeof fetch
  signal: AbortSignal | undefined
  /** How long the first byte may take, in milliseconds. */
  timeoutMs: number
  /** How long the stream may be silent, in milliseconds; the service sends a comment every 15 seconds. */
  silenceMs?: number
}

/** The generated reader of server-sent events, told to read one connection and no more. */
export type ReadEvents = (options: {
  fetch: typeof fetch
  sseMaxRetryAttempts: 1
  onSseError: (error: unknown) => void
  onSseEvent: (event: { id?: string }) => void
}) => Promise<{ stream: AsyncGenerator<unknown> }>

const defaultSilenceMs = 45_000

/** Something answers that has no event stream for us, as an old service, a proxy, or a platform that can't read one. */
export class NoEventStreamError extends IntentConnectionError {
  constructor() {
    super('No event stream.')
  }
}

/**
 * The events of one connection. Ends when the service ends the stream; rejects when it breaks off, falls silent or is
 * refused. Resuming is up to the caller.
 */
export async function* openEvents(
  read: ReadEvents,
  refusal: (response: Response) => Promise<Error>,
  options: EventsOptions,
): AsyncGenerator<StepEvent> {
  const { signal, timeoutMs, silenceMs = defaultSilenceMs } = options
  signal?.throwIfAborted()
  const limited = limitedSignal(timeoutMs, signal)
  let isOpen = false
  let failure: unknown = null
  let id = ''
  const connect: typeof fetch = async (request) => {
    const response = await options.fetch(request, { signal: limited.signal })
    isOpen = true
    limited.limit(silenceMs)
    // Nothing to tell any more.
    if (response.status === 204) return new Response('')
    if (!response.ok) throw await refusal(response)
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      throw new NoEventStreamError()
    }
    const alive = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        limited.limit(silenceMs)
        controller.enqueue(chunk)
      },
    })
    return new Response(response.body.pipeThrough(alive))
  }
  try {
    const { stream } = await read({
      // It is given no signal: `connect` ends the connection.
      fetch: connect,
      sseMaxRetryAttempts: 1,
      onSseError: (error) => (failure = error),
      onSseEvent: (event) => (id = event.id ?? ''),
    })
    for await (const data of stream) {
      // The reader hands on as text what is not JSON.
      if (typeof data !== 'object') throw new NoEventStreamError()
      yield { id, step: data as Step }
    }
    if (signal?.aborted) throw signal.reason
    if (limited.timedOut() && !isOpen) throw new NoEventStreamError()
    if (limited.timedOut()) throw new IntentTimeoutError('The event stream has fallen silent.')
    if (failure instanceof IntentError) throw failure
    if (failure) throw new IntentConnectionError('The event stream broke off.', failure)
  } finally {
    limited.close()
  }
}
