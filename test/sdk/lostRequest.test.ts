import { expect } from 'chai'
import type { Hash, Hex } from 'viem'
import { IntentApiError, UnregisteredPaymentError } from '../../sdk/src/errors.js'
import { type OnDemandOptions, sendOnDemand } from '../../sdk/src/sendOnDemand.js'
import type { Step } from '../../sdk/src/wire.js'
import type { Reaction } from '../support/scriptedServer.js'
import { actionId, anAction, aStep, created, events, ref, user } from './replies.js'
import { errorOf, scriptedClient } from './scriptedClient.js'

const hash: Hash = `0x${'ab'.repeat(32)}`
const signature: Hex = `0x${'12'.repeat(64)}1b`

/** As after a failover of its database to one that lacks the last commits. */
describe('what was asked for of a service that has lost it since', () => {
  const clientOf = scriptedClient()

  /**
   * Its one step is lost once somebody listens to its events, and succeeds when it is asked for after that. `answer`
   * has the first word on a request for it, by how many there were before.
   */
  async function losing(
    mode: Step['mode'],
    {
      first = 'created',
      answer = () => null,
    }: { first?: Step['status']; answer?: (asked: number) => Reaction | null } = {},
  ) {
    const paid = mode === '7702' ? {} : { transactionHash: hash }
    const at = (status: Step['status']) => aStep({ mode, status, ...(status === 'created' ? { attempts: 0 } : paid) })
    let status: Step['status'] = first
    let isLost = false
    let asked = 0
    const chain = { chainId: 31337, name: 'x', nativeCurrency: {}, rpcUrl: null, explorerUrl: null, delegate: user }
    const chains = { success: true, data: { chains: [{ ...chain, solver: user, tokens: [] }] }, error: null }
    const { client, received } = await clientOf(
      ({ method, path }): Reaction => {
        if (path === '/chains') return { status: 200, body: chains }
        if (path === '/actions') return { status: 201, body: created }
        if (path === `/actions/${actionId}`) return { status: 200, body: anAction([at(status)]) }
        if (method === 'POST') {
          const reaction = answer(asked++)
          if (reaction) return reaction
          status = isLost ? 'success' : 'executing'
          return { status: 202, body: at(status) }
        }
        if (path.endsWith('/events')) {
          // A service ends the stream when it has fewer events than it has told.
          status = 'created'
          isLost = true
          return { stream: events(1, at('executing')), then: 'end' }
        }
        return { status: 200, body: at(status) }
      },
      { retries: 0 },
    )
    const requests = () =>
      received.filter(({ method, path }) => method === 'POST' && path !== '/actions').map(({ body }) => body)
    return { client, requests }
  }

  /** What has the user pay one step; `paid` tells how often he has paid and signed. */
  function paying(options: Partial<OnDemandOptions> = {}) {
    let payments = 0
    let signatures = 0
    const all: OnDemandOptions = {
      user,
      intents: [
        { chainBatches: [{ chainId: 31337, tokenTransfers: [{ from: user, to: user, token: user, amount: 1n }] }] },
      ],
      account: {
        async signTypedData() {
          signatures++
          return signature
        },
      },
      async pay() {
        payments++
        return hash
      },
      ...options,
    }
    return { all, paid: () => [payments, signatures] }
  }

  it('is asked for again, a payment with the same hash and signature, and is paid and signed once', async () => {
    const { client, requests } = await losing('non-7702:on-demand')
    const told: string[] = []
    const { all, paid } = paying({
      onProgress: (progress) => told.push(progress.type === 'step' ? progress.step.status : progress.type),
    })
    expect((await sendOnDemand(client, all)).intents[0]?.steps[0]?.status).to.equal('success')
    const request = { action: 'execute', hash, signature }
    expect(requests()).to.deep.equal([request, request])
    expect(paid()).to.deep.equal([1, 1])
    expect(told).to.deep.equal(['created', 'paid', 'executing', 'created', 'success'])
  })

  it('is asked for again by its hash where an earlier call has paid it', async () => {
    const { client, requests } = await losing('non-7702:on-demand', { first: 'executing' })
    const { all, paid } = paying({ idempotencyKey: 'mine' })
    expect((await sendOnDemand(client, all)).intents[0]?.steps[0]?.status).to.equal('success')
    expect(requests()).to.deep.equal([{ action: 'execute', hash }])
    expect(paid()).to.deep.equal([0, 0])
  })

  it('is asked for again where the solver acts', async () => {
    const { client, requests } = await losing('7702')
    expect((await client.runAction(actionId)).intents[0]?.steps[0]?.status).to.equal('success')
    expect(requests()).to.deep.equal([{ action: 'execute' }, { action: 'execute' }])
  })

  it('is named, so that it is not paid again, where it is not taken again', async () => {
    const error = { message: 'No', code: 'registration_signature_required' }
    const refusal: Reaction = { status: 400, body: { success: false, data: null, error } }
    const { client } = await losing('non-7702:on-demand', { answer: (asked) => (asked === 0 ? null : refusal) })
    const { all, paid } = paying({ idempotencyKey: 'mine' })
    const failure = await errorOf(sendOnDemand(client, all), UnregisteredPaymentError)
    expect(failure).to.deep.include({ hash, step: ref, actionId, idempotencyKey: 'mine' })
    expect(failure.cause).to.be.instanceOf(IntentApiError)
    expect(paid()).to.deep.equal([1, 1])
  })

  it('ends no wait of who has not asked for it', async () => {
    const { client } = await clientOf([
      { status: 200, body: aStep({ status: 'executing' }) },
      { status: 200, body: aStep({ status: 'created', attempts: 0 }) },
      { status: 200, body: aStep() },
    ])
    const seen: string[] = []
    const step = await client.waitForStep(ref, { pollIntervalMs: 20, onChange: ({ status }) => seen.push(status) })
    expect([step.status, seen]).to.deep.equal(['success', ['executing', 'created', 'success']])
  })
})
