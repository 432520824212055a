import { expect } from 'chai'
import { IntentError } from '../../sdk/src/errors.js'
import { signIntent } from '../../sdk/src/sign.js'
import { batches, account, window } from './encodingsByHand.js'
import { actionId, aStep, created, ref, user } from './replies.js'
import { errorOf, scriptedClient } from './scriptedClient.js'

/** What React Native and polyfills have: a signal that neither throws nor knows its reason. */
class OldController {
  readonly signal = Object.assign(new EventTarget(), { aborted: false }) as unknown as AbortSignal
  abort(): void {
    Object.assign(this.signal, { aborted: true })
    this.signal.dispatchEvent(new Event('abort'))
  }
}

describe('platforms that lack something', () => {
  const clientOf = scriptedClient()

  it('may have signals without throwIfAborted and reason', async () => {
    const { client, received } = await clientOf([{ status: 200, body: aStep({ status: 'executing' }) }])
    const idle = new OldController()
    expect((await client.getStep(ref, { signal: idle.signal })).status).to.equal('executing')
    const asked = received.length
    const over = new OldController()
    over.abort()
    for (const run of [
      () => client.getStep(ref, { signal: over.signal }),
      () => client.waitForStep(ref, { signal: over.signal }),
      () => client.waitForAction(actionId, { signal: over.signal }),
      () => client.runAction(actionId, { signal: over.signal }),
    ]) {
      expect(await errorOf(run(), Error)).to.include({ name: 'AbortError' })
    }
    expect(received).to.have.length(asked)
  })

  it('may have them abort in the middle', async () => {
    const { client } = await clientOf([{ status: 200, body: aStep({ status: 'executing' }) }, 'silence'])
    for (const pollIntervalMs of [60_000, 20]) {
      const controller = new OldController()
      const { signal } = controller
      const pending = client.waitForStep(ref, { signal, pollIntervalMs })
      setTimeout(() => controller.abort(), 100)
      expect(await errorOf(pending, Error)).to.include({ name: 'AbortError' })
    }
  })

  describe('without a global crypto', () => {
    const { crypto } = globalThis
    const put = (value: unknown) =>
      Object.defineProperty(globalThis, 'crypto', { value, configurable: true, writable: true })
    beforeEach(() => put(undefined))
    afterEach(() => put(crypto))

    it('an action takes a key of the caller’s, and is refused without one by a text that names it', async () => {
      const { client, received } = await clientOf([{ status: 201, body: created }])
      const error = await errorOf(client.createAction({ user, intents: [] }), IntentError)
      expect(error.message).to.contain('name idempotencyKey.')
      expect(received).to.have.length(0)
      expect(await client.createAction({ user, intents: [] }, { idempotencyKey: 'mine' })).to.deep.equal(created)
    })

    it('an intent takes an nbf of the caller’s', async () => {
      const intent = { account, chainBatches: batches, exp: window.exp }
      expect((await errorOf(signIntent(intent), IntentError)).message).to.contain('name nbf.')
      expect((await signIntent({ ...intent, nbf: 0 })).nbf).to.equal(0)
    })
  })
})
