import { expect } from 'chai'
import { createIntentClient } from '../../sdk/src/client.js'
import type { ClientOptions } from '../../sdk/src/wire.js'
import { IntentConnectionError, IntentError, IntentTimeoutError } from '../../sdk/src/errors.js'
import { type Reaction, startScriptedServer } from '../support/scriptedServer.js'
import { newUser } from '../support/wallets.js'

const contract = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

describe('the nodes that an action is prepared with', () => {
  let stop: () => Promise<void> = async () => {}
  afterEach(() => stop())

  /** What is prepared by a client of a service whose chain has this node; `tries` is counted for each method. */
  async function prepare(node: (method: string, tries: number) => Reaction, options: Partial<ClientOptions> = {}) {
    const tries: Record<string, number> = {}
    let url = ''
    const server = await startScriptedServer((request): Reaction => {
      if (request.path === '/node') {
        expect(request.headers).not.to.have.property('x-api-key')
        const { method } = request.body as { method: string }
        tries[method] = (tries[method] ?? 0) + 1
        return node(method, tries[method])
      }
      const chain = { chainId: 31337, rpcUrl: `${url}/node`, tokens: [], delegate: contract, solver: contract }
      return { status: 200, body: { success: true, data: { chains: [chain] }, error: null } }
    })
    url = server.url
    stop = server.stop
    const client = createIntentClient({
      baseUrl: url,
      timeoutMs: 5_000,
      retries: 1,
      headers: { 'x-api-key': 'k' },
      ...options,
    })
    const calls = [{ to: contract, value: 0n, data: '0x12' }] as const
    const intents = [{ chainBatches: [{ chainId: 31337, tokenTransfers: [], calls: [...calls] }] }]
    const outcome = await client.prepareAction({ account: newUser(), intents }).catch((error: unknown) => error)
    return { outcome, tries }
  }

  const answers: Record<string, string> = { eth_chainId: '0x7a69', eth_getCode: '0x', eth_getTransactionCount: '0x3' }
  const answer = (method: string): Reaction => ({ status: 200, body: { result: answers[method] } })

  it('are asked again when they fail for a passing reason, without what is meant for the service', async () => {
    const { outcome, tries } = await prepare((method, count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '0' } } : answer(method),
    )
    expect(outcome).to.have.property('authorizations').with.length(1)
    expect(tries).to.deep.equal({ eth_chainId: 2, eth_getCode: 2, eth_getTransactionCount: 2 })
  })

  it('end the preparation with an error when they stay silent', async () => {
    const { outcome } = await prepare(() => 'silence', { timeoutMs: 200 })
    expect(outcome).to.be.instanceOf(IntentConnectionError).and.to.include({ retryable: true })
    expect((outcome as Error).cause).to.be.instanceOf(IntentTimeoutError)
  })

  it('hear nothing of a fetch that is meant for the service, and are asked by their own where there is one', async () => {
    const forService: string[] = []
    const forNodes: string[] = []
    const { outcome } = await prepare(answer, {
      // As a gateway's key is added: what is given is spread, so that nothing of it may get lost.
      fetch: (url, init) => {
        forService.push(url)
        return fetch(url, { ...init, headers: { ...init.headers, 'x-api-key': 'secret' } })
      },
      nodeFetch: (url, init) => {
        forNodes.push(url)
        return fetch(url, init)
      },
    })
    expect(outcome).to.have.property('authorizations').with.length(1)
    expect(forService.map((url) => new URL(url).pathname)).to.deep.equal(['/chains'])
    expect(new Set(forNodes.map((url) => new URL(url).pathname))).to.deep.equal(new Set(['/node']))
  })

  for (const [method, results] of [
    ['eth_chainId', ['x', '', '0x', '31337', '0x20000000000000']],
    ['eth_getCode', ['', 'none', '0x1', '0xzz', '60']],
    ['eth_getTransactionCount', ['', '0x', 'latest', '3', '-0x3', '0x20000000000000']],
  ] as const) {
    for (const result of results) {
      it(`are not believed when they answer "${result}" to ${method}`, async () => {
        const { outcome } = await prepare((asked) =>
          asked === method ? { status: 200, body: { result } } : answer(asked),
        )
        expect(outcome).to.be.instanceOf(IntentError).and.to.include({ retryable: false })
        expect((outcome as Error).message).to.equal(
          `The node of chain 31337 did not answer ${method}; name another one in rpcUrls.`,
        )
      })
    }
  }

  it('are quoted when they refuse, which no second try changes', async () => {
    const { outcome, tries } = await prepare(() => ({ status: 200, body: { error: { message: 'no such method' } } }))
    expect(outcome).to.be.instanceOf(IntentError).and.to.include({ retryable: false })
    expect((outcome as Error).message).to.match(/node of chain 31337 did not answer eth_\w+: no such method/)
    expect(tries.eth_chainId).to.equal(1)
  })
})
