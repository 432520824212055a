import { expect } from 'chai'
import { CannotAuthorizeError } from '../../sdk/src/errors.js'
import type { Progress } from '../../sdk/src/progress.js'
import { delegate, good, signingScene } from './signingScene.js'

describe('what is signed', () => {
  const { account, intents, service, watched } = signingScene()

  it('ends with the prompt at which the call is aborted, without the wallet’s answer', async () => {
    const { client, posted } = await service([good])
    for (const method of ['signAuthorization', 'signTypedData'] as const) {
      const { signed, account: signer } = watched()
      const controller = new AbortController()
      const reason = new Error('enough')
      const asked = () => {
        signed.push(method)
        controller.abort(reason)
        return new Promise<never>(() => {})
      }
      const twice = [intents[0]!, intents[0]!]
      const sending = client.send({
        account: { ...signer, [method]: asked },
        intents: twice,
        signal: controller.signal,
      })
      expect(await sending.catch((error: unknown) => error)).to.equal(reason)
      expect(signed).to.deep.equal(method === 'signTypedData' ? ['authorization', method] : [method])
    }
    expect(posted()).to.deep.equal([])
  })

  it('ends at an abort before the next prompt, also when the wallet answers', async () => {
    const { client } = await service([good])
    const { signed, account: signer } = watched()
    const controller = new AbortController()
    const signAuthorization: typeof account.signAuthorization = (what) => {
      controller.abort()
      return signer.signAuthorization(what)
    }
    const prepared = await client.prepareAction({ account, intents })
    const signing = client.signAction(prepared, {
      account: { ...signer, signAuthorization },
      signal: controller.signal,
    })
    expect(await signing.catch((error: unknown) => error)).to.equal(controller.signal.reason)
    expect(signed).to.deep.equal(['authorization'])
  })

  it('can be sent again with the same body and key when the answer got lost', async () => {
    const { client, posted } = await service([good])
    let signed: Extract<Progress, { type: 'signed' }> | null = null
    await client
      .send({ account, intents, onProgress: (event) => void (event.type === 'signed' && (signed = event)) })
      .catch(() => null)
    const { request, idempotencyKey } = signed!
    await client.createAction(request, { idempotencyKey }).catch(() => null)
    const [first, second] = posted()
    expect(second?.body).to.deep.equal(first?.body)
    expect(second?.headers['idempotency-key']).to.equal(first?.headers['idempotency-key'])
  })

  it('tells an account that can’t authorize what to do instead, before it is asked for anything', async () => {
    const { client } = await service([good])
    const { signed, account: signer } = watched()
    const wallet = { address: signer.address, signMessage: signer.signMessage, signTypedData: signer.signTypedData }
    const error = await client.send({ account: wallet, intents }).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(CannotAuthorizeError)
    expect((error as CannotAuthorizeError).authorizations).to.deep.equal([
      { chainId: 31337, address: delegate, nonce: 3 },
    ])
    expect((error as Error).message).to.contain('sendOnDemand')
    expect(signed).to.deep.equal([])
  })
})
