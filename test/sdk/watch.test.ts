import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { createIntentClient } from '../../sdk/src/client.js'
import { IntentApiError, IntentTimeoutError } from '../../sdk/src/errors.js'
import type { StepProgress, WatchOptions } from '../../sdk/src/watchAction.js'
import { type Reaction, type Received, startScriptedServer } from '../support/scriptedServer.js'
import { until } from '../support/until.js'
import { actionId, anAction, aStep, events, ref } from './replies.js'

const executing = aStep({ status: 'executing' })
const sent = aStep({ status: 'executing', transactionHash: `0x${'ab'.repeat(32)}` })
const done = aStep({ transactionHash: sent.transactionHash, confirmations: 1 })
const finished = anAction([done], 'success')
const pending = anAction([executing], 'executing')

describe('watching an action', () => {
  let stop: () => Promise<void> = async () => {}
  afterEach(() => stop())

  /** A service whose event stream, actions and steps answer by a script each, and by its last reaction ever after. */
  async function service(scripts: { stream: Reaction[]; action?: Reaction[]; step?: Reaction[] }, timeoutMs = 2_000) {
    const counts = { stream: 0, action: 0, step: 0 }
    const server = await startScriptedServer((request) => {
      const kind = request.path.endsWith('/events') ? 'stream' : request.path.includes('/steps/') ? 'step' : 'action'
      const script = scripts[kind] ?? [{ status: 200, body: kind === 'action' ? finished : done }]
      return script[Math.min(counts[kind]++, script.length - 1)]!
    })
    stop = server.stop
    const of = (end: string) => server.received.filter((request: Received) => request.path.endsWith(end))
    return {
      client: createIntentClient({ baseUrl: server.url, timeoutMs, retries: 0 }),
      server,
      streams: () => of('/events'),
    }
  }

  async function told(changes: AsyncIterable<StepProgress>): Promise<string[]> {
    const seen: string[] = []
    for await (const { step, eventId } of changes) {
      seen.push(`${eventId} ${step.status}${step.transactionHash ? ' sent' : ''}`)
    }
    return seen
  }

  it('tells each change of the stream, and ends when the action is over', async () => {
    const { client, streams } = await service({ stream: [{ stream: events(1, executing, sent, done), then: 'end' }] })
    expect(await told(client.watchAction(actionId))).to.deep.equal([
      '1 executing',
      '2 executing sent',
      '3 success sent',
    ])
    expect(streams()).to.have.length(1)
    expect(streams()[0]?.headers.accept).to.equal('text/event-stream')
  })

  it('resumes a stream that is cut off where it was cut off', async () => {
    const { client, streams } = await service({
      stream: [
        { stream: events(1, executing), then: 'cut' },
        'hang up',
        { status: 503, headers: { 'retry-after': '0' } },
        // A service that has not understood the header tells what was told.
        { stream: events(1, executing, sent), then: 'cut' },
        { stream: events(3, done), then: 'end' },
      ],
      action: [
        { status: 200, body: pending },
        { status: 200, body: finished },
      ],
    })
    expect(await told(client.watchAction(actionId))).to.deep.equal([
      '1 executing',
      '2 executing sent',
      '3 success sent',
    ])
    expect(streams().map((request) => request.headers['last-event-id'])).to.deep.equal([undefined, '1', '1', '1', '2'])
  })

  it('is told what a service whose database was restored numbers anew', async () => {
    const { client, streams } = await service({
      stream: [
        { stream: events(1, executing, sent, sent, sent), then: 'cut' },
        { stream: events(2, { ...done, updatedAt: '2026-11-20T12:00:01.000Z' }), then: 'end' },
      ],
    })
    expect(await told(client.watchAction(actionId))).to.deep.equal([
      '1 executing',
      '2 executing sent',
      '2 success sent',
    ])
    expect(streams().map((request) => request.headers['last-event-id'])).to.deep.equal([undefined, '4'])
  })

  it('goes on after the change that it is told', async () => {
    const { client, streams } = await service({ stream: [{ stream: events(3, done), then: 'end' }] })
    expect(await told(client.watchAction(actionId, { lastEventId: '2' }))).to.deep.equal(['3 success sent'])
    expect(streams()[0]?.headers['last-event-id']).to.equal('2')
  })

  it('knows from 204 that there is nothing more to tell', async () => {
    const { client, streams } = await service({ stream: [{ status: 204 }] })
    expect(await told(client.watchAction(actionId, { lastEventId: '3' }))).to.deep.equal([])
    expect(streams()).to.have.length(1)
  })

  it('listens again when a service that stops ends the stream early', async () => {
    const { client, streams } = await service({
      stream: [
        { stream: events(1, executing), then: 'end' },
        { stream: events(2, sent, done), then: 'end' },
      ],
      action: [
        { status: 200, body: pending },
        { status: 200, body: finished },
      ],
    })
    expect(await told(client.watchAction(actionId))).to.deep.equal([
      '1 executing',
      '2 executing sent',
      '3 success sent',
    ])
    expect(streams()).to.have.length(2)
  })

  for (const [what, reaction] of [
    [
      'that answers 404',
      { status: 404, body: { success: false, data: null, error: { message: '', code: 'not_found' } } },
    ],
    ['that answers a page', { status: 200, text: '<html>' }],
    ['whose events are not its own', { stream: 'id: 1\ndata: hello\n\n', then: 'stay' }],
  ] as [string, Reaction][]) {
    it(`looks where there is no stream, at a service ${what}`, async () => {
      const { client, server, streams } = await service({
        stream: [reaction],
        action: [
          { status: 200, body: anAction([aStep({ status: 'created', attempts: 0 })]), headers: { etag: '"0"' } },
          { status: 200, body: pending, headers: { etag: '"1"' } },
          { status: 304, headers: { etag: '"1"' } },
          { status: 503, headers: { 'retry-after': '0' } },
          { status: 200, body: finished, headers: { etag: '"2"' } },
        ],
      })
      expect(await told(client.watchAction(actionId))).to.deep.equal(['null executing', 'null success sent'])
      expect(streams()).to.have.length(1)
      const looks = server.received.filter((request) => request.path === `/actions/${actionId}`)
      expect(looks.map((request) => request.headers['if-none-match'])).to.deep.equal([
        undefined,
        '"0"',
        '"1"',
        '"1"',
        '"1"',
      ])
    })
  }

  it('looks where something holds the stream back', async () => {
    const { client } = await service({ stream: ['silence'] }, 500)
    expect(await told(client.watchAction(actionId))).to.deep.equal(['null success sent'])
  })

  it('looks where something passes the head of the stream on and holds back the rest, and tries no other one', async () => {
    const { client, streams } = await service({ stream: [{ stream: '', then: 'stay' }] }, 500)
    expect(await told(client.watchAction(actionId))).to.deep.equal(['null success sent'])
    expect(await told(client.watchAction(actionId))).to.deep.equal(['null success sent'])
    expect(streams()).to.have.length(1)
  })

  it('says why it could not look when it gives up', async () => {
    const away = {
      status: 500,
      body: { success: false, data: null, error: { message: 'Broken', code: 'internal_error' } },
    }
    const { client } = await service({ stream: [{ status: 404 }], action: [away], step: [away] })
    for (const waiting of [
      client.waitForAction(actionId, { timeoutMs: 900 }),
      client.waitForStep(ref, { timeoutMs: 900 }),
    ]) {
      const error = await waiting.catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(IntentTimeoutError)
      expect((error as Error).message).to.contain('within 900 ms; the service was away at last: Broken')
      expect((error as Error).cause).to.be.instanceOf(IntentApiError)
    }
  })

  it('resolves with the action, however it ended', async () => {
    const failed = aStep({ status: 'reverted', error: { code: 'execution_reverted', message: 'No', retryable: false } })
    const { client } = await service({
      stream: [{ stream: events(1, executing, failed), then: 'end' }],
      action: [{ status: 200, body: anAction([failed], 'reverted') }],
    })
    const seen: string[] = []
    const action = await client.waitForAction(actionId, { onProgress: ({ step }) => seen.push(step.status) })
    expect(action.status).to.equal('reverted')
    expect(seen).to.deep.equal(['executing', 'reverted'])
  })

  it('does not take an action for over while one of its steps moves', async () => {
    const other = { ...executing, stepIndex: 1 }
    const failed = aStep({ status: 'error' })
    const { client } = await service({
      stream: [{ status: 404 }],
      action: [
        { status: 200, body: anAction([failed, other], 'error') },
        { status: 200, body: anAction([failed, { ...done, stepIndex: 1 }], 'error') },
      ],
    })
    expect((await client.waitForAction(actionId)).intents[0]?.steps[1]?.status).to.equal('success')
  })

  it('gives up in time, and tells what it saw last', async () => {
    const { client } = await service({ stream: [{ stream: events(1, executing), then: 'stay' }] })
    const error = await client.waitForAction(actionId, { timeoutMs: 1_000 }).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(IntentTimeoutError)
    expect((error as IntentTimeoutError).lastStep?.status).to.equal('executing')
  })

  it('ends when what it tells is not taken, and leaves neither timer nor connection behind', () => {
    // Its process ends by itself, long before the wait would.
    const script = `
      import { createServer } from 'node:http'
      import { createIntentClient } from './sdk/src/client.ts'
      const server = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(${JSON.stringify(events(1, executing))})
      }).listen(0, '127.0.0.1', async () => {
        const client = createIntentClient({ baseUrl: 'http://127.0.0.1:' + server.address().port })
        for (const onProgress of [() => { throw new Error('full') }, async () => { throw new Error('full') }])
          await client.waitForAction('${actionId}', { onProgress }).catch((error) => console.log(error.message))
        server.close()
      })`
    const options = { encoding: 'utf8', timeout: 20_000 } as const
    const run = spawnSync(process.execPath, ['--import=tsx', '--input-type=module', '-e', script], options)
    expect(run.stdout, run.stderr).to.equal('full\nfull\n')
    expect(run.status, run.stderr).to.equal(0)
  })

  it('hears its signal and its time while the one whom it tells takes for ever', async () => {
    const { client } = await service({
      stream: [{ stream: events(1, executing), then: 'stay' }],
      step: [{ status: 200, body: executing }],
    })
    const forEver = () => new Promise(() => undefined)
    for (const wait of [
      (how: WatchOptions) => client.waitForAction(actionId, { ...how, onProgress: forEver }),
      (how: WatchOptions) => client.waitForStep(ref, { ...how, onChange: forEver }),
    ]) {
      const late = await wait({ timeoutMs: 200 }).catch((reason: unknown) => reason)
      expect(late).to.be.instanceOf(IntentTimeoutError)
      expect((late as IntentTimeoutError).lastStep?.status).to.equal('executing')
      const controller = new AbortController()
      const aborted = wait({ timeoutMs: 20_000, signal: controller.signal }).catch((reason: unknown) => reason)
      setTimeout(() => controller.abort('enough'), 100)
      expect(await aborted).to.equal('enough')
    }
  })

  it('ends with the signal’s reason in the middle of a stream', async () => {
    const { client } = await service({ stream: [{ stream: events(1, executing), then: 'stay' }] })
    const controller = new AbortController()
    const waiting = client.waitForAction(actionId, {
      signal: controller.signal,
      onProgress: () => setImmediate(() => controller.abort('enough')),
    })
    expect(await waiting.catch((reason: unknown) => reason)).to.equal('enough')
  })

  it('hangs up when nobody listens any more', async () => {
    let open = 0
    const { server } = await service({ stream: [{ stream: events(1, executing), then: 'stay' }] })
    const counting = createIntentClient({
      baseUrl: server.url,
      fetch: (input, init) => {
        open++
        init!.signal!.addEventListener('abort', () => open--)
        return fetch(input, init)
      },
    })
    for await (const { step } of counting.watchAction(actionId)) {
      expect(step.status).to.equal('executing')
      expect(open).to.equal(1)
      break
    }
    await until(() => open === 0, 'the end of the connection')
  })

  it('tells an action that does not exist', async () => {
    const missing = { status: 404, body: { success: false, data: null, error: { message: 'None', code: 'not_found' } } }
    const { client } = await service({ stream: [missing], action: [missing] })
    const error = await client.waitForAction(actionId).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(IntentApiError)
    expect(error).to.include({ status: 404, code: 'not_found' })
  })

  describe('for one step', () => {
    const at = (second: number) => ({ updatedAt: `2026-11-20T12:00:0${second}.000Z` })

    it('follows the stream, and is not taken in by a failure that was tried again since', async () => {
      const failed = { ...aStep({ status: 'error' }), ...at(1) }
      const retried = { ...aStep({ status: 'executing', attempts: 2 }), ...at(2) }
      const success = { ...aStep({ status: 'success', attempts: 2 }), ...at(3) }
      const { client, streams } = await service({
        stream: [
          { stream: events(1, executing, failed, retried, { ...success, stepIndex: 1 }, success), then: 'stay' },
        ],
        step: [
          { status: 200, body: retried },
          { status: 200, body: success },
        ],
      })
      const seen: string[] = []
      const step = await client.waitForStep(ref, {
        onChange: ({ status, attempts }) => seen.push(`${status} ${attempts}`),
      })
      expect(step).to.deep.equal(success)
      expect(seen).to.deep.equal(['executing 2', 'success 2'])
      expect(streams()).to.have.length(1)
    })

    it('looks where there is no stream, and asks only for what is new', async () => {
      const { client, server } = await service({
        stream: [{ status: 404 }],
        step: [
          { status: 200, body: executing, headers: { etag: '"1"' } },
          { status: 304 },
          { status: 200, body: done, headers: { etag: '"2"' } },
        ],
      })
      expect((await client.waitForStep(ref)).status).to.equal('success')
      const looks = server.received.filter((request) => request.path.includes('/steps/'))
      expect(looks.map((request) => request.headers['if-none-match'])).to.deep.equal([undefined, '"1"', '"1"'])
    })

    it('asks for no stream when the step has ended', async () => {
      const { client, streams } = await service({ stream: ['silence'], step: [{ status: 200, body: done }] })
      expect((await client.waitForStep(ref)).status).to.equal('success')
      expect(streams()).to.have.length(0)
    })
  })
})
