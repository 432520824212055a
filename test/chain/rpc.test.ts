import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type Hash, keccak256 } from 'viem'
import { ChainUnavailable } from '../../server/chain/chain.js'
import { createRedactor } from '../../server/chain/nodes/redact.js'
import { createRpc } from '../../server/chain/nodes/rpc.js'
import { call, readBigInt, resultOf } from '../../server/chain/nodes/rpcFormat.js'
import type { RoundTrip, RpcCall } from '../../server/chain/nodes/rpcNode.js'
import { until } from '../support/until.js'
import { type Fault, type FaultyNode, startFaultyNode } from './faultyNode.js'

describe('JSON-RPC to the nodes of a chain', () => {
  let first: FaultyNode
  let second: FaultyNode
  const number = (value: string) => ({
    kind: 'answer' as const,
    answer: ({ method }: { method: string }) => (method === 'eth_blockNumber' ? { result: value } : null),
  })
  const blockNumber = [call('eth_blockNumber')]

  beforeEach(async () => {
    first = await startFaultyNode()
    second = await startFaultyNode()
    first.behave(number('0x1'))
    second.behave(number('0x2'))
  })
  afterEach(() => Promise.all([first.stop(), second.stop()]))

  /** A short time only where nodes are silent: on a busy machine their answers take long. */
  function connect(trips: RoundTrip[] = [], readTimeoutMs = 5_000) {
    return createRpc(31337, [first.url, second.url], { readTimeoutMs, onRoundTrip: (trip) => trips.push(trip) })
  }
  const readNumber = (rpc: ReturnType<typeof connect>) =>
    rpc.read(blockNumber, ([answer]) => readBigInt(resultOf(answer)))

  it('asks the first node as long as it answers', async () => {
    const rpc = connect()
    expect(await readNumber(rpc)).to.equal(1n)
    expect(await readNumber(rpc)).to.equal(1n)
    expect(second.requests).to.deep.equal([])
  })

  it('carries what is asked at the same time in one request', async () => {
    const trips: RoundTrip[] = []
    const rpc = connect(trips)
    expect(await Promise.all([readNumber(rpc), readNumber(rpc), readNumber(rpc)])).to.deep.equal([1n, 1n, 1n])
    expect(trips).to.have.length(1)
    expect(trips[0]!.methods).to.deep.equal(['eth_chainId', 'eth_blockNumber', 'eth_blockNumber', 'eth_blockNumber'])
    expect(trips[0]).to.include({ chainId: 31337, node: 0, outcome: 'answered' })
  })

  it('carries no more in one request than nodes take, and one that is long by itself all the same', async () => {
    const rpc = connect([], 10_000)
    const [long, longest] = [300_000, 1_200_000].map((length) => call('eth_blockNumber', 'x'.repeat(length)))
    const read = (...calls: RpcCall[]) => rpc.read(calls, (answers) => answers.map(resultOf))
    await Promise.all([read(long!), read(long!), readNumber(rpc), read(long!), read(longest!), readNumber(rpc)])
    const lengths = first.requests.map((calls) => JSON.stringify(calls).length)
    expect(
      lengths.filter((length) => length > 1_000_000),
      lengths.join(),
    ).to.have.length(1)
    expect(lengths).to.have.length(4)
    expect(second.requests).to.deep.equal([])
  })

  it('asks for the chain once and then no more', async () => {
    const rpc = connect()
    await readNumber(rpc)
    await readNumber(rpc)
    expect(first.requests.map((calls) => calls.map(({ method }) => method))).to.deep.equal([
      ['eth_chainId', 'eth_blockNumber'],
      ['eth_blockNumber'],
    ])
  })

  it('accepts the answers of a batch in any order', async () => {
    first.behave({
      kind: 'raw',
      body: (calls) =>
        calls.map(({ id, method }) => ({ id, result: method === 'eth_chainId' ? '0x7a69' : `0x${id}` })).reverse(),
    })
    const rpc = connect()
    const calls = [call('a'), call('b'), call('c')]
    expect(await rpc.read(calls, (answers) => answers.map(resultOf))).to.deep.equal(['0x1', '0x2', '0x3'])
  })

  const faults: [string, Fault][] = [
    ['answers HTTP 500', { kind: 'status', status: 500 }],
    [
      'answers HTTP 429 with a JSON-RPC error',
      { kind: 'status', status: 429, body: '{"error":{"code":429,"message":"slow down"}}' },
    ],
    ['answers HTML', { kind: 'status', status: 200, body: '<html>' }],
    ['never answers', { kind: 'silence' }],
    [
      'answers with an error',
      { kind: 'answer', answer: () => ({ error: { code: -32603, message: 'Internal error' } }) },
    ],
    ['leaves an answer out', { kind: 'raw', body: () => [{ id: 0, result: '0x7a69' }] }],
    ['answers what can not be read', number('twelve')],
    [
      'has become a node of another chain',
      { kind: 'answer', answer: ({ method }) => ({ result: method === 'eth_chainId' ? '0x1' : '0x9' }) },
    ],
  ]
  for (const [what, fault] of faults) {
    it(`goes on to the next node when one ${what}`, async () => {
      first.behave(fault)
      expect(await readNumber(connect([], fault.kind === 'silence' ? 150 : undefined))).to.equal(2n)
    })
  }

  for (const encoding of ['gzip', 'GZIP']) {
    it(`reads answers that the node has compressed and calls ${encoding}`, async () => {
      const answers = (calls: { id: number; method: string }[]) =>
        calls.map(({ id, method }) => ({ id, result: method === 'eth_chainId' ? '0x7a69' : '0x2a' }))
      first.behave({ kind: 'raw', body: answers, encoding })
      expect(await readNumber(connect())).to.equal(42n)
      expect(first.headers[0]!['accept-encoding']).to.equal('gzip')
      expect(second.requests).to.deep.equal([])
    })
  }

  it('reads no more than a limit of an answer that has no end', async function () {
    this.timeout(30_000)
    const chunk = Buffer.alloc(2 ** 20, ' ')
    let sent = 0
    const endless = createServer((_request, response) => {
      const writeOn = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length
      }
      response.on('drain', writeOn)
      writeOn()
    })
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`
      const rpc = createRpc(31337, [url], {
        readTimeoutMs: 20_000,
        sendTimeoutMs: 20_000,
        onRoundTrip: () => undefined,
      })
      const error = await readNumber(rpc).catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(ChainUnavailable).with.property('message').that.includes('EXCEEDED_MAX_SIZE')
      expect(sent).to.be.lessThan(400 * 2 ** 20)
    } finally {
      endless.closeAllConnections()
      endless.close()
    }
  })

  it('says what it is, without which some gateways refuse to answer', async () => {
    await readNumber(connect())
    expect(first.headers[0]!['user-agent']).to.be.a('string').that.is.not.empty
  })

  it('takes a gateway that fails with nothing, and calls it compressed, by its status', async () => {
    for (const node of [first, second]) node.behave({ kind: 'raw', status: 502, body: () => null, encoding: 'gzip' })
    const error = await readNumber(connect()).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(ChainUnavailable).with.property('message').that.includes('HTTP 502')
  })

  it('asks a node that has failed last, until all others fail too', async () => {
    const rpc = connect()
    first.behave({ kind: 'status', status: 500 })
    await readNumber(rpc)
    first.behave(number('0x1'))
    const asked = first.requests.length
    expect(await readNumber(rpc)).to.equal(2n)
    expect(first.requests).to.have.length(asked)
    second.behave({ kind: 'status', status: 500 })
    expect(await readNumber(rpc)).to.equal(1n)
  })

  it('asks a node for its chain again after a failure', async () => {
    const rpc = connect()
    await readNumber(rpc)
    first.behave({ kind: 'status', status: 500 })
    second.behave({ kind: 'status', status: 500 })
    await readNumber(rpc).catch(() => undefined)
    first.behave({ kind: 'answer', answer: ({ method }) => ({ result: method === 'eth_chainId' ? '0x1' : '0x9' }) })
    second.behave(number('0x2'))
    expect(await readNumber(rpc)).to.equal(2n)
  })

  it('notices without a failure that another chain answers at the address by now', async () => {
    const trips: RoundTrip[] = []
    const rpc = createRpc(31337, [first.url, second.url], {
      verifyEveryMs: 300,
      onRoundTrip: (trip) => trips.push(trip),
    })
    expect(await readNumber(rpc)).to.equal(1n)
    first.behave({ kind: 'answer', answer: ({ method }) => ({ result: method === 'eth_chainId' ? '0x1' : '0x9' }) })
    await until(async () => (await readNumber(rpc)) === 2n, 'the other node to be asked', 2_000)
    first.behave(number('0x1'))
    // In the same request, once for each time: it costs no round trip.
    const asked = trips.filter(({ node }) => node === 0).map(({ methods }) => methods)
    expect(asked.at(-1)).to.deep.equal(['eth_chainId', 'eth_blockNumber'])
    expect(asked.filter((methods) => methods.includes('eth_chainId'))).to.have.length(2)
  })

  describe('with a known first block', () => {
    const [ours, others] = [keccak256('0x01'), keccak256('0x02')]
    const isGenesis = async (chainId: number, hash: Hash) => chainId === 31337 && hash === ours
    /** Null: the node does not have it any more. */
    const chainOf = (genesis: Hash | null, head: string): Fault => ({
      kind: 'answer',
      answer: ({ method }) => {
        if (method === 'eth_getBlockByNumber')
          return { result: genesis && { number: '0x0', hash: genesis.toUpperCase().replace('X', 'x') } }
        return method === 'eth_blockNumber' ? { result: head } : null
      },
    })

    it('passes over a node of another chain of the same id, and says so', async () => {
      first.behave(chainOf(others, '0x9'))
      second.behave(chainOf(ours, '0x2'))
      const rpc = createRpc(31337, [first.url, second.url], { isGenesis })
      expect(await readNumber(rpc)).to.equal(2n)
      const [head] = await rpc.readHeads()
      expect(head!.fault).to.equal('the node is of another chain of the same id: it has another first block')
    })

    it('notices that the chain was reset without a break', async () => {
      const rpc = createRpc(31337, [first.url, second.url], { isGenesis, verifyEveryMs: 300 })
      first.behave(chainOf(ours, '0x1'))
      second.behave(chainOf(ours, '0x2'))
      expect(await readNumber(rpc)).to.equal(1n)
      first.behave(chainOf(others, '0x9'))
      const seen = await until(
        async () => [await readNumber(rpc)].find((head) => head !== 1n && head !== 9n),
        'the other node',
      )
      expect(seen).to.equal(2n)
    })

    it('asks for it with the chain, in the same request, and lets a node be that has none', async () => {
      const trips: RoundTrip[] = []
      const rpc = createRpc(31337, [first.url], { isGenesis, onRoundTrip: (trip) => trips.push(trip) })
      first.behave(chainOf(null, '0x1'))
      expect([await readNumber(rpc), await readNumber(rpc)]).to.deep.equal([1n, 1n])
      const methods = trips.map((trip) => trip.methods)
      expect(methods).to.deep.equal([['eth_chainId', 'eth_getBlockByNumber', 'eth_blockNumber'], ['eth_blockNumber']])
    })

    it('lets a node be that gives its newest block for the first one', async () => {
      const block: Fault = {
        kind: 'answer',
        answer: ({ method }) => (method === 'eth_chainId' ? null : { result: { number: '0x64', hash: others } }),
      }
      first.behave(block)
      const rpc = createRpc(31337, [first.url], { isGenesis })
      expect(await rpc.read([call('eth_getBlockByNumber', 'latest', false)], ([answer]) => answer?.result)).to.include({
        number: '0x64',
      })
    })

    it('believes no node while the known one can not be read', async () => {
      first.behave(chainOf(ours, '0x1'))
      const rpc = createRpc(31337, [first.url], { isGenesis: () => Promise.reject(new Error('s3cr3t')) })
      const error = (await readNumber(rpc).catch((reason: unknown) => reason)) as Error
      expect(error).to.be.instanceOf(ChainUnavailable)
      expect(error.message).to.include('could not be compared').and.not.include('s3cr3t')
    })
  })

  it('says why each node tells no head', async () => {
    first.behave({ kind: 'status', status: 401 })
    second.behave({ kind: 'answer', answer: () => ({ result: '0x1' }) })
    const heads = await connect().readHeads()
    expect(heads.map(({ fault }) => fault)).to.deep.equal(['HTTP 401', 'the node is of chain 1'])
    first.behave({ kind: 'silence' })
    expect((await connect([], 150).readHeads())[0]!.fault).to.equal('timeout')
  })

  it('hands over errors that count as answers', async () => {
    first.behave({
      kind: 'answer',
      answer: ({ method }) =>
        method === 'eth_chainId' ? null : { error: { code: 3, message: 'execution reverted', data: '0x01' } },
    })
    const rpc = connect()
    const answers = await rpc.read([call('eth_call')], (given) => given, { isAnswer: ({ code }) => code === 3 })
    expect(answers[0]!.error).to.deep.equal({ code: 3, message: 'execution reverted', data: '0x01' })
    expect(second.requests).to.deep.equal([])
  })

  it('tells when no node answers, and nothing of where the nodes are', async () => {
    first.behave({
      kind: 'answer',
      answer: () => ({ error: { code: -32000, message: `key s3cr3t-k3y of ${first.url}/v2/s3cr3t-k3y is spent` } }),
    })
    await second.stop()
    const rpc = createRpc(31337, [`${first.url}/v2/s3cr3t-k3y`, `${second.url}/rpc?token=0123456789`])
    const error = await readNumber(rpc).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(ChainUnavailable)
    const { chainId, method, message } = error as ChainUnavailable
    expect({ chainId, method }).to.deep.equal({ chainId: 31337, method: 'eth_blockNumber' })
    expect(message).to.include('is spent').and.include('ECONNREFUSED')
    expect(message).to.not.match(/s3cr3t|0123456789|http|127\.0\.0\.1/)
    second = await startFaultyNode()
  })

  it('sends a user and password as the header that they stand for', async () => {
    const rpc = createRpc(31337, [first.url.replace('//', '//operator:p%40ss@')])
    await readNumber(rpc)
    expect(first.authorizations[0]).to.equal(`Basic ${Buffer.from('operator:p@ss').toString('base64')}`)
  })
})

describe('what may be shown of a node’s words', () => {
  const redact = createRedactor(['https://operator:pa55@rpc.example.org/v3/abcdef0123456789?apikey=zyxwvutsrq'])

  it('is without hosts, keys, addresses and passwords', () => {
    const text = redact('operator pa55 rpc.example.org abcdef0123456789 zyxwvutsrq https://other.example/x?y=z failed')
    expect(text).to.match(/failed$/)
    expect(text).to.not.match(/operator|pa55|example|abcdef|zyxw/)
  })

  it('is without raw transactions, on one line and short', () => {
    const text = redact(`bad\ntransaction\u2028\u2029of 0x${'ab'.repeat(200)} ${'x'.repeat(1000)}`)
    expect(text)
      .to.include('0xabababab…[200 bytes]')
      .and.to.match(/^bad transaction of 0x/)
    expect(text.length).to.be.lessThan(320)
  })

  it('keeps hashes, which are what one searches by', () => {
    const hash = `0x${'12'.repeat(32)}`
    expect(redact(`tx ${hash}`)).to.equal(`tx ${hash}`)
  })
})
