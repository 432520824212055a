import { expect } from 'chai'
import { createIntentClient } from '../../sdk/src/client.js'
import { type Reaction, type Received, startScriptedServer } from '../support/scriptedServer.js'

/** A client of a service that reacts by a script, which stops with each test. */
export function scriptedClient() {
  let stop: () => Promise<void> = async () => {}
  afterEach(() => stop())

  return async (
    script: Reaction[] | ((request: Received, index: number) => Reaction),
    options: Partial<Parameters<typeof createIntentClient>[0]> = {},
  ) => {
    await stop()
    const server = await startScriptedServer(script)
    stop = server.stop
    const { url, received } = server
    return { client: createIntentClient({ baseUrl: `${url}/`, ...options }), received, url }
  }
}

/** What it rejects with, which has to be of that kind. */
export async function errorOf<T extends Error>(
  promise: Promise<unknown>,
  kind: new (...args: never[]) => T,
): Promise<T> {
  const error = await promise.then(
    () => new Error('It has not failed.'),
    (reason: unknown) => reason,
  )
  expect(error).to.be.instanceOf(kind)
  return error as T
}
