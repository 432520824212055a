import type { StreamEvent } from '../handlerTypes.js'

/** How long nothing may be sent, in ms: too short for any proxy to take the connection for dead. */
const heartbeatMs = 15_000

/**
 * Events in the form of server-sent events (HTML standard, 9.2), with a comment line while there is nothing to tell.
 */
export async function* eventStream(
  events: AsyncIterable<StreamEvent<unknown>>,
  pauseMs = heartbeatMs,
): AsyncGenerator<string> {
  // The headers travel with the first bytes, and a client waits for them to know that it is connected.
  yield ': connected\n\n'
  for await (const event of withPauses(events, pauseMs)) yield event === 'pause' ? ': still here\n\n' : format(event)
}

function format({ id, event, data }: StreamEvent<unknown>): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * The items as they come, and `pause` whenever none has come for `pauseMs`. Each item's promise has one listener,
 * however many pauses there are: listeners stay with a promise until it settles, which may take days.
 */
async function* withPauses<T>(items: AsyncIterable<T>, pauseMs: number): AsyncGenerator<T | 'pause'> {
  const source = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      let isHere = false
      let wake: () => void = () => undefined
      const come = () => {
        isHere = true
        wake()
      }
      const next = source.next()
      next.then(come, come)
      while (!isHere) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          wake = resolve
          timer = setTimeout(resolve, pauseMs)
        })
        clearTimeout(timer)
        if (!isHere) yield 'pause'
      }
      const { done, value } = await next
      if (done) return
      yield value
    }
  } finally {
    await source.return?.()
  }
}
