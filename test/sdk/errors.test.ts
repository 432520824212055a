import { expect } from 'chai'
import { createIntentClient } from '../../sdk/src/client.js'
import {
  IntentApiError,
  IntentConnectionError,
  IntentTimeoutError,
  isIntentError,
  naming,
} from '../../sdk/src/errors.js'
import { patiently } from '../../sdk/src/patiently.js'
import { startScriptedServer } from '../support/scriptedServer.js'
import { errorOf, scriptedClient } from './scriptedClient.js'
import { actionId, aStep, ref, user } from './replies.js'

describe('what the client rejects with', () => {
  const clientOf = scriptedClient()

  it('takes nothing for an answer that lacks what all of them have', async () => {
    for (const body of [{}, null, [], 'ok']) {
      const { client } = await clientOf([{ status: 200, body }])
      for (const asked of [client.getChains(), client.getStep(ref), client.getAction(actionId)]) {
        expect((await errorOf(asked, IntentConnectionError)).message).to.contain("is baseUrl the service's address?")
      }
    }
  })

  it('tells its errors also from those of another copy of the package', () => {
    const own = new IntentConnectionError('Away')
    // Another copy has classes of its own that are called the same.
    class OtherCopy extends Error {
      override readonly name = 'IntentApiError'
      readonly retryable = false
    }
    expect(isIntentError(own)).to.equal(true)
    expect(isIntentError(own, 'IntentConnectionError')).to.equal(true)
    expect(isIntentError(own, 'IntentApiError')).to.equal(false)
    expect(isIntentError(new OtherCopy(), 'IntentApiError')).to.equal(true)
    expect(isIntentError(new Error('retryable'))).to.equal(false)
    expect(isIntentError('IntentApiError')).to.equal(false)
  })

  it('is as patient with another copy’s client, and names the action in what it rejects with', async () => {
    const retrying = { retryable: true, retryAfterMs: 0, actionId: null, idempotencyKey: null }
    const away = Object.assign(new Error('Away'), { name: 'IntentConnectionError', ...retrying })
    const tries = [() => Promise.reject(away), () => Promise.resolve('there')]
    expect(await patiently(() => tries.shift()!(), { withinMs: 10_000, signal: undefined })).to.equal('there')
    const names = { actionId: 'an-action', idempotencyKey: 'a-key' }
    const named = await naming(names, () => Promise.reject(away)).catch((error: unknown) => error)
    expect(named).to.equal(away).and.to.include(names)
  })

  describe('when there is no usable answer', () => {
    it('tells a service that cannot be reached', async () => {
      const gone = await startScriptedServer([{ status: 200 }])
      await gone.stop()
      const client = createIntentClient({ baseUrl: gone.url, retries: 0 })
      const error = await errorOf(client.getStep(ref), IntentConnectionError)
      expect(error.retryable).to.equal(true)
      expect(error.cause).to.be.instanceOf(Error)
    })

    it('tells silence by a timeout, and an answer that never ends', async () => {
      const { client } = await clientOf(['silence', 'stall'], { timeoutMs: 60, retries: 0 })
      const error = await errorOf(client.getStep(ref), IntentTimeoutError)
      expect(error.message).to.contain('60 ms')
      await errorOf(client.executeStep(ref, { waitSeconds: 0 }), IntentTimeoutError)
    })

    it('gives a request that the service holds open the time for it', async () => {
      const { client, received } = await clientOf(
        (request) => (request.headers.prefer === 'wait=60' ? { status: 202, body: aStep() } : 'silence'),
        { timeoutMs: 100, retries: 0 },
      )
      await client.executeStep(ref, { waitSeconds: 60 })
      await client.executeStep(ref, { waitSeconds: 59.5 })
      expect(received[1]?.headers.prefer, 'whole seconds, RFC 7240').to.equal('wait=60')
      expect(received[0]?.headers.prefer).to.equal('wait=60')
      expect(received[0]?.body).to.deep.equal({ action: 'execute' })
    })

    it('ends with the signal’s reason, without another try', async () => {
      const { client, received } = await clientOf(['silence'])
      const reason = new Error('The user has left.')
      const controller = new AbortController()
      const pending = client.getStep(ref, { signal: controller.signal })
      setImmediate(() => controller.abort(reason))
      expect(await errorOf(pending, Error)).to.equal(reason)
      expect(received.length).to.be.at.most(1)
      expect(await errorOf(client.getStep(ref, { signal: controller.signal }), Error)).to.equal(reason)
    })

    it('tells a page that is not the service’s', async () => {
      const { client } = await clientOf([{ status: 200, text: '<html>Welcome</html>' }])
      const { message } = await errorOf(client.listActions({ user }), IntentConnectionError)
      expect(message).to.equal("The answer to GET /actions is not JSON; is baseUrl the service's address?")
      const other = await clientOf([{ status: 502, text: '<html>Bad gateway</html>' }], { retries: 0 })
      const error = await errorOf(other.client.getStep(ref), IntentApiError)
      expect(error).to.include({ status: 502, code: 'unknown', retryable: true, requestId: null })
      expect(error.message).to.equal(
        'The answer to GET /actions/{actionId}/intents/{intentIndex}/steps/{stepIndex} is 502 without a message; ' +
          "is baseUrl the service's address?",
      )
    })

    it('tells what is wrong outside of the body of an action from the words of a gateway', async () => {
      for (const [status, error, code] of [
        [400, 'Idempotency-Key: must have at most 255 characters', 'validation_failed'],
        [400, 'chainAuthorizations are required for 7702 intents', 'chain_authorizations_required'],
        [502, 'Bad gateway', 'unknown'],
      ] as const) {
        const { client } = await clientOf([{ status, body: { error } }], { retries: 0 })
        expect(await errorOf(client.getStep(ref), IntentApiError)).to.include({ status, code })
      }
    })
  })

  describe('when it is refused', () => {
    it('tells code, amounts and request id of the envelope', async () => {
      const body = {
        success: false,
        data: null,
        error: { message: 'Not enough.', code: 'insufficient_credit', token: user, required: '12', available: '3' },
        requestId: 'r-1',
      }
      const { client, received } = await clientOf([{ status: 400, body }])
      const error = await errorOf(client.executeStep(ref), IntentApiError)
      expect(error).to.include({ status: 400, code: 'insufficient_credit', requestId: 'r-1', retryable: false })
      expect(error).to.include({ message: 'Not enough.', required: 12n, available: 3n, token: user })
      expect(received).to.have.length(1)
    })

    it('tells every issue of an action, and its place', async () => {
      const issues = [
        { path: '/intents/0/chainBatches/1/hash', message: 'is not the hash', code: 'hash_mismatch' },
        { path: '/intents/0/signature', message: 'recovers to another', code: 'signature_mismatch' },
      ]
      const { client } = await clientOf([{ status: 400, body: { error: 'Invalid.', issues, requestId: 'r-2' } }])
      const error = await errorOf(client.createAction({ user, intents: [] }), IntentApiError)
      expect(error.code).to.equal('validation_failed')
      expect(error.issues).to.deep.equal(issues)
      expect(error.message).to.contain('/intents/0/chainBatches/1/hash: is not the hash')
      expect(error.requestId).to.equal('r-2')
    })

    it('says once what is said twice, and passes on what something before the service says', async () => {
      const message = 'wallet is required'
      const error = { message, code: 'validation_failed', issues: [{ path: '/wallet', message, code: 'required' }] }
      const { client } = await clientOf([
        { status: 400, body: { success: false, data: null, error } },
        { status: 401, body: { message: 'Missing API key' } },
      ])
      expect((await errorOf(client.getStep(ref), IntentApiError)).message).to.equal(message)
      const refused = await errorOf(client.getStep(ref), IntentApiError)
      expect(refused).to.include({ message: 'Missing API key', status: 401, code: 'unknown' })
    })

    it('gives the two refusals of an action that have no code of their own one', async () => {
      const missing = { error: 'chainAuthorizations are required for 7702 intents', requestId: 'r' }
      const issues = [{ path: '', message: 'posted before', code: 'duplicate_intent' }]
      const { client } = await clientOf([
        { status: 400, body: missing },
        { status: 400, body: { error: 'posted before', issues, requestId: 'r' } },
      ])
      const request = { user, intents: [] } as const
      const codes = []
      for (let i = 0; i < 2; i++) {
        codes.push((await errorOf(client.createAction({ ...request, intents: [] }), IntentApiError)).code)
      }
      expect(codes).to.deep.equal(['chain_authorizations_required', 'duplicate_intent'])
    })

    it('takes a report of poor health for an answer', async () => {
      const chain = { chainId: 1, status: 'down', blockNumber: null, solverBalance: null, lanes: [] }
      const data = { status: 'down', version: '0.1.0', database: 'ok', chains: [chain] }
      const body = { success: false, data, error: { message: 'Down.', code: 'unavailable' }, requestId: 'r' }
      const { client } = await clientOf([{ status: 503, body }])
      expect((await client.getHealth()).status).to.equal('down')
    })
  })
})
