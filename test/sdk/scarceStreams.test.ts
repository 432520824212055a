import { expect } from 'chai'
import { createIntentClient } from '../../sdk/src/client.js'
import type { Step } from '../../sdk/src/wire.js'
import { type Reaction, type Received, startScriptedServer } from '../support/scriptedServer.js'
import { actionId, anAction, aStep, events, ref } from './replies.js'

const at = (second: number) => ({ updatedAt: `2026-11-20T12:00:0${second}.000Z` })
const executing = { ...aStep({ status: 'executing' }), ...at(1) }
const sent = { ...executing, transactionHash: `0x${'ab'.repeat(32)}`, ...at(2) } as const
const done = { ...sent, status: 'success', confirmations: 1, ...at(3) } as const

describe('following an action where event streams are scarce', () => {
  let stop: () => Promise<void> = async () => {}
  afterEach(() => stop())

  /** A service that answers by how many streams and looks it was asked for, this one included. */
  async function service(answers: {
    stream: (streams: number, looks: number) => Reaction
    step: (looks: number, streams: number) => Step
  }) {
    const streams: Received[] = []
    let looks = 0
    const server = await startScriptedServer((request) => {
      if (request.path.endsWith('/events')) return answers.stream(streams.push(request), looks)
      const step = answers.step(++looks, streams.length)
      return { status: 200, body: request.path.includes('/steps/') ? step : anAction([step], step.status) }
    })
    stop = server.stop
    return { url: server.url, client: createIntentClient({ baseUrl: server.url, retries: 0 }), streams }
  }

  for (const [what, refusal] of [
    ['for an hour', { status: 429, headers: { 'retry-after': '3600' } }],
    ['by a proxy', { status: 502 }],
    ['by a fault', { status: 500 }],
  ] as const) {
    it(`looks at once where the stream is refused ${what}, and asks for no other one meanwhile`, async () => {
      const { client, streams } = await service({
        stream: () => refusal,
        step: (looks) => (looks % 4 === 0 ? done : executing),
      })
      const begun = performance.now()
      expect((await client.waitForStep(ref, { timeoutMs: 3_000 })).status).to.equal('success')
      expect((await client.waitForAction(actionId, { timeoutMs: 3_000 })).status).to.equal('success')
      expect(performance.now() - begun).to.be.below(2_500)
      expect(streams).to.have.length(1)
    })
  }

  /** A service that refuses the first stream for a second, and whose step has ended once it gives the second. */
  const refusingOnce = (status: number, then: 'stay' | 'end') =>
    service({
      stream: (count) =>
        count === 1 ? { status, headers: { 'retry-after': '1' } } : { stream: events(1, executing, sent, done), then },
      step: (_looks, count) => (count === 2 ? done : sent),
    })

  it('asks for the stream again when its refusal is over', async () => {
    const { client, streams } = await refusingOnce(503, 'stay')
    const seen: string[] = []
    const onChange = ({ status }: Step) => seen.push(status)
    expect((await client.waitForStep(ref, { timeoutMs: 5_000, onChange })).status).to.equal('success')
    expect(seen).to.deep.equal(['executing', 'success'])
    expect(streams).to.have.length(2)
  })

  it('tells nothing of a later stream that looks have told what came of', async () => {
    const { client, streams } = await refusingOnce(429, 'end')
    const seen: string[] = []
    for await (const { step, eventId } of client.watchAction(actionId, { timeoutMs: 5_000 })) {
      seen.push(`${eventId} ${step.status}`)
    }
    expect(seen).to.deep.equal(['null executing', '3 success'])
    expect(streams).to.have.length(2)
  })

  it('lets go of the stream before it looks, as a browser may have no other connection left', async () => {
    const failed = { ...executing, status: 'error' } as const
    const again = { ...executing, attempts: 2, ...at(4) }
    const success = { ...again, status: 'success', ...at(5) } as const
    const { url, streams } = await service({
      stream: (count) => ({
        stream: count === 1 ? events(1, executing, failed) : events(3, again, success),
        then: 'stay',
      }),
      step: (looks) => [executing, again, success][looks - 1]!,
    })
    let open = 0
    const openAtLooks: number[] = []
    const client = createIntentClient({
      baseUrl: url,
      fetch: (input, init) => {
        if (!input.endsWith('/events')) openAtLooks.push(open)
        else {
          open++
          init.signal.addEventListener('abort', () => open--)
        }
        return fetch(input, init)
      },
    })
    expect(await client.waitForStep(ref, { timeoutMs: 5_000 })).to.deep.equal(success)
    expect(openAtLooks).to.deep.equal([0, 0, 0])
    expect(streams.map((request) => request.headers['last-event-id'])).to.deep.equal([undefined, '2'])
  })
})
