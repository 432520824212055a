type Dispatcher = { close(): Promise<void> }

/** Where Node's own `fetch` looks for what has its connections. */
const place = Symbol.for('undici.globalDispatcher.1')

/** Ends the connections that `fetch` keeps for its next requests, as long as the server lets it; later ones have others. */
export async function closeIdleConnections(): Promise<void> {
  const holder = globalThis as unknown as Record<symbol, Dispatcher>
  const old = holder[place]
  // There is none before the first request.
  if (!old) return
  holder[place] = new (old.constructor as new () => Dispatcher)()
  await old.close()
}
