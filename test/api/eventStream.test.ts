import { expect } from 'chai'
import { eventStream } from '../../server/api/replies/eventStream.js'
import type { StreamEvent } from '../../server/api/handlerTypes.js'

type Next = Promise<IteratorResult<StreamEvent<unknown>>>

describe('a stream of events', () => {
  const event = (id: string): StreamEvent<unknown> => ({ id, event: 'step', data: { at: id } })

  it('tells them as they come, and then ends', async () => {
    const told: string[] = []
    async function* events() {
      yield event('1')
      yield event('2')
    }
    for await (const text of eventStream(events())) told.push(text)
    expect(told).to.deep.equal([
      ': connected\n\n',
      'id: 1\nevent: step\ndata: {"at":"1"}\n\n',
      'id: 2\nevent: step\ndata: {"at":"2"}\n\n',
    ])
  })

  it('keeps nothing for each line that it writes while there is none', async () => {
    let listeners = 0
    let tell: (result: IteratorResult<StreamEvent<unknown>>) => void = () => undefined
    let isReturned = false
    const source = {
      [Symbol.asyncIterator]: () => source,
      next(): Next {
        const next: Next = new Promise((resolve) => (tell = resolve))
        const listen = next.then.bind(next)
        next.then = ((...args: Parameters<Next['then']>) => {
          listeners++
          return listen(...args)
        }) as Next['then']
        return next
      },
      async return() {
        isReturned = true
        return { done: true as const, value: undefined }
      },
    }
    const stream = eventStream(source, 1)
    await stream.next()
    for (let count = 0; count < 20; count++) expect((await stream.next()).value).to.equal(': still here\n\n')
    expect(listeners).to.equal(1)
    const told = stream.next()
    tell({ done: false, value: event('1') })
    expect((await told).value).to.match(/^id: 1\n|^: still here/)
    await stream.return(undefined)
    expect(isReturned).to.equal(true)
  })

  it('breaks off with what its source throws', async () => {
    async function* events(): AsyncGenerator<StreamEvent<unknown>> {
      yield event('1')
      throw new Error('away')
    }
    const stream = eventStream(events())
    await stream.next()
    await stream.next()
    expect(await stream.next().catch((error: Error) => error.message)).to.equal('away')
  })
})
