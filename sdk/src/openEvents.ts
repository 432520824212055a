import { throwIfAborted, untilAborted } from './abortable.js'
import { has } from './answers.js'
import { IntentConnectionError, IntentError, IntentTimeoutError } from './errors.js'
import { limitedSignal } from './limitedSignal.js'
import type { Step } from './wire.js'

/** One change of a step. Ids run 1, 2, 3 … for each action. */
export type StepEvent = { id: string; step: TracedStep }

/** With the W3C trace of the request that asked for it last, where an event has told it. */
export type TracedStep = Step & { traceId?: string | null }

type EventsOptions = {
  signal: AbortSignal | undefined
  /** How long the first byte may take, in milliseconds. */
  timeoutMs: number
}

/** How long the stream may be silent; the service sends a comment every 15 seconds. */
const silenceMs = 45_000

/**
 * Something answers that has no event stream for us: an old service, a proxy, a platform
 * that can't read one, or a refusal.
 */
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
  connect: (signal: AbortSignal) => Promise<Response>,
  { signal, timeoutMs }: EventsOptions,
): AsyncGenerator<StepEvent> {
  throwIfAborted(signal)
  const limited = limitedSignal(timeoutMs, signal)
  // A proxy may pass the head on and hold back all that follows, so only the first bytes show that there is one.
  let isOpen = false
  const onNews = () => {
    isOpen = true
    limited.limit(silenceMs)
  }
  try {
    const response = await connect(limited.signal)
    // Nothing to tell any more.
    if (response.status === 204) return
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      throw new NoEventStreamError()
    }
    for await (const { id, data } of readEvents(response.body, limited.signal, onNews)) {
      yield { id, step: parseStep(data) }
    }
  } catch (error) {
    if (error instanceof IntentError) throw error
    limited.fail(new IntentConnectionError('The event stream broke off.', error), () =>
      isOpen ? new IntentTimeoutError('The event stream fell silent.') : new NoEventStreamError(),
    )
  } finally {
    limited.close()
  }
}

/** Server-sent events as the HTML standard reads them (9.2.6), without names and retry times. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onNews: () => void,
): AsyncGenerator<{ id: string; data: string }> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [rest, id, data] = ['', '', '']
  for (;;) {
    const { done, value } = await untilAborted(reader.read(), signal)
    // An event that no blank line ends is not one.
    if (done) return
    onNews()
    // A \r at the end may be half of a line's end.
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    for (const line of lines) {
      const [, field, text = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
      if (field === 'id') id = text
      if (field === 'data') data += `${text}\n`
      if (line === '' && data) {
        yield { id, data }
        data = ''
      }
    }
  }
}

function parseStep(data: string): TracedStep {
  try {
    const step: unknown = JSON.parse(data)
    if (has(step, 'stepIndex') && has(step, 'status')) return step as TracedStep
  } catch {
    // As below: what is no step is told by no service of ours.
  }
  throw new NoEventStreamError()
}
