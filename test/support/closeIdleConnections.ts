import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'

/** Ends the connections that are kept for next requests (also by Node's own `fetch`), as long as the server lets it. */
export async function closeIdleConnections(): Promise<void> {
  const old = getGlobalDispatcher()
  setGlobalDispatcher(new Agent())
  await old.close()
}
