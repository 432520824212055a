import type { StreamEvent } from './handlers.js'

/** Often enough that no proxy takes the connection for dead. */
const heartbeatMs = 15_000

/** Events in the form of server-sent events (HTML standard, 9.2), with a comment line while there is nothing to tell. */
export async function* eventStream(events: AsyncIterable<StreamEvent<unknown>>): AsyncGenerator<string> {
  const source = events[Symbol.asyncIterator]()
  try {
    // The headers travel with the first bytes, and a client waits for them to know that it is connected.
    yield ': connected\n\n'
    let next = source.next()
    for (;;) {
      const first = await Promise.race([next, heartbeat(next)])
      if (first === 'heartbeat') {
        yield ': still here\n\n'
        continue
      }
      if (first.done) return
      yield format(first.value)
      next = source.next()
    }
  } finally {
    await source.return?.()
  }
}

function format({ id, event, data }: StreamEvent<unknown>): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Resolves after a while, and leaves no timer behind once the event is there. */
function heartbeat(next: Promise<unknown>): Promise<'heartbeat'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('heartbeat'), heartbeatMs)
    const stop = () => clearTimeout(timer)
    next.then(stop, stop)
  })
}
