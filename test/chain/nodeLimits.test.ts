import { expect } from 'chai'
import { createRpc } from '../../server/chain/nodes/rpc.js'
import { call, readBigInt, resultOf } from '../../server/chain/nodes/rpcFormat.js'
import { until } from '../support/until.js'
import { type Fault, type FaultyNode, type JsonCall, startFaultyNode } from './faultyNode.js'

/** How much a node allows, in one request and in a while. */
describe('what a node allows', () => {
  let first: FaultyNode
  let second: FaultyNode
  const number = (value: string) => ({
    kind: 'answer' as const,
    answer: ({ method }: { method: string }) => (method === 'eth_blockNumber' ? { result: value } : null),
  })

  beforeEach(async () => {
    first = await startFaultyNode()
    second = await startFaultyNode()
  })
  afterEach(() => Promise.all([first.stop(), second.stop()]))

  const readNumber = (rpc: ReturnType<typeof createRpc>) =>
    rpc.read([call('eth_blockNumber')], ([answer]) => readBigInt(resultOf(answer)))

  describe('where a node takes no more than so many calls in one request', () => {
    const many = Array.from({ length: 40 }, () => call('eth_blockNumber'))
    const refusals: Record<string, (calls: JsonCall[]) => Fault> = {
      'and says so by one error': () =>
        raw({ error: { code: -32014, message: 'maximum 10 calls in 1 batch' }, id: null }),
      'and says so to the first': ([one]) =>
        raw([{ error: { code: -32600, message: 'batch too large' }, id: one!.id }]),
      'and says so by its status': () => ({ kind: 'status', status: 413 }),
    }
    const raw = (body: unknown): Fault => ({ kind: 'raw', body: () => body })
    for (const [how, refuse] of Object.entries(refusals)) {
      for (const most of [10, 1]) {
        it(`asks for no more than ${most}, ${how}`, async () => {
          const rpc = createRpc(31337, [first.url])
          first.behave((calls) => (calls.length > most ? refuse(calls) : number('0x7')))
          const read = () => rpc.read(many, (answers) => answers.map((answer) => readBigInt(resultOf(answer))))
          expect(await read()).to.deep.equal(many.map(() => 7n))
          const asked = first.requests.length
          expect(await read()).to.deep.equal(many.map(() => 7n))
          expect(first.requests.slice(asked).every((calls) => calls.length <= most)).to.equal(true)
        })
      }
    }

    it('asks for many again after one that was too long', async () => {
      const rpc = createRpc(31337, [first.url])
      const isLong = (calls: JsonCall[]) => JSON.stringify(calls).length > 100_000
      const long = call('eth_blockNumber', 'x'.repeat(200_000))
      first.behave((calls) => (isLong(calls) && calls.length > 1 ? { kind: 'status', status: 413 } : number('0x7')))
      const read = (calls: typeof many) => rpc.read(calls, (answers) => answers.length)
      expect(await read([...many, long])).to.equal(41)
      const asked = first.requests.length
      expect(await read(many)).to.equal(40)
      expect(first.requests.slice(asked).map((calls) => calls.length)).to.deep.equal([40])
    })

    it('takes no word of a contract for that, nor for a limit', async () => {
      const rpc = createRpc(31337, [first.url])
      const error = {
        code: 3,
        message: 'execution reverted: batch too large, rate limit, too many requests',
        data: '0x',
      }
      first.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_blockNumber' ? { error } : null) })
      const read = () => rpc.read(many, (answers) => answers.length, { isAnswer: () => true })
      expect([await read(), await read()]).to.deep.equal([40, 40])
      expect(first.requests.map((calls) => calls.length)).to.deep.equal([41, 40])
    })
  })

  describe('where a node is asked too much', () => {
    const limits: Record<string, Fault> = {
      'by its status': { kind: 'status', status: 429 },
      'by a code for each call': {
        kind: 'answer',
        answer: () => ({ error: { code: -32005, message: 'daily request count exceeded' } }),
      },
    }
    for (const [how, limited] of Object.entries(limits)) {
      it(`leaves it alone for a while, and asks others meanwhile, ${how}`, async () => {
        const rpc = createRpc(31337, [first.url, second.url])
        first.behave(limited)
        second.behave(limited)
        await readNumber(rpc).catch(() => undefined)
        const asked = first.requests.length
        const refused = await Promise.all(
          Array.from({ length: 50 }, () => readNumber(rpc).catch((error: Error) => error.message)),
        )
        expect(refused[0]).to.match(/asked more than it allows/)
        expect(first.requests).to.have.length(asked)
        first.behave(number('0x1'))
        await until(async () => (await readNumber(rpc).catch(() => null)) === 1n, 'it to be asked again', 5_000)
        expect(await readNumber(rpc)).to.equal(1n)
      })
    }

    it('sends to it all the same', async () => {
      const rpc = createRpc(31337, [first.url])
      first.behave({ kind: 'status', status: 429 })
      await readNumber(rpc).catch(() => undefined)
      first.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_chainId' ? null : { result: '0xab' }) })
      const [answer] = await rpc.senders[0]!.ask([call('eth_sendRawTransaction', '0x00')])
      expect(answer?.result).to.equal('0xab')
    })
  })

  it('takes ids that come back as strings, and the one answer to one call, whatever its id', async () => {
    const rpc = createRpc(31337, [first.url])
    const answers = (calls: JsonCall[]) =>
      calls.map(({ id, method }) => ({ id: String(id), result: method === 'eth_chainId' ? '0x7a69' : '0x5' }))
    first.behave({ kind: 'raw', body: answers })
    expect(await readNumber(rpc)).to.equal(5n)
    const error = { code: -32000, message: 'insufficient funds' }
    first.behave({ kind: 'raw', body: () => ({ id: null, error }), status: 403 })
    const [told] = await rpc.read([call('eth_blockNumber')], (all) => all, { isAnswer: () => true })
    expect(told?.error).to.include(error)
  })
})
