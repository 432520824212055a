import type { Address } from 'viem'
import { createIntentClient } from '../../sdk/src/client.js'
import type { IntentDraft } from '../../sdk/src/prepareAction.js'
import type { Expectation } from '../../sdk/src/pins.js'
import { type Reaction, startScriptedServer } from '../support/scriptedServer.js'
import { newUser } from '../support/wallets.js'

export const delegate: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
export const vault: Address = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
export const stranger: Address = '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0'
export const good = { delegate, solver: vault }

/** An account that is to sign an intent for a service whose contracts may change, which stops with each test. */
export function signingScene() {
  const stops: (() => Promise<void>)[] = []
  afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())))

  const account = newUser()
  const intents: IntentDraft[] = [
    {
      chainBatches: [
        {
          chainId: 31337,
          tokenTransfers: [{ from: account.address, to: vault, token: stranger, amount: 5n }],
          calls: [{ to: stranger, value: 0n, data: '0x1234' }],
        },
      ],
    },
  ]

  /** A service that names these contracts, one after the other, and whose chain's node it is itself. */
  async function service(
    contracts: { delegate: Address; delegates?: Address[]; solver: Address }[],
    expectation?: Expectation,
    code = '0x',
  ) {
    let reads = 0
    let url = ''
    const rpc: Record<string, unknown> = { eth_chainId: '0x7a69', eth_getCode: code, eth_getTransactionCount: '0x3' }
    const server = await startScriptedServer((request): Reaction => {
      if (request.path === '/node') {
        const { method } = request.body as { method: string }
        return { status: 200, body: { result: rpc[method] } }
      }
      if (request.path !== '/chains') return { status: 400, body: { error: 'No', requestId: 'r' } }
      const chain = {
        chainId: 31337,
        rpcUrl: `${url}/node`,
        tokens: [],
        ...contracts[Math.min(reads++, contracts.length - 1)],
      }
      return { status: 200, body: { success: true, data: { chains: [chain] }, error: null } }
    })
    url = server.url
    stops.push(server.stop)
    const client = createIntentClient({ baseUrl: url, ...(expectation && { expect: expectation }) })
    return { client, posted: () => server.received.filter((request) => request.path === '/actions') }
  }

  /** An account that counts what it signs. */
  function watched() {
    const signed: string[] = []
    const watch =
      <Parameters extends unknown[], Signed>(what: string, sign: (...parameters: Parameters) => Signed) =>
      (...parameters: Parameters): Signed => {
        signed.push(what)
        return sign(...parameters)
      }
    return {
      signed,
      account: {
        ...account,
        signMessage: watch('message', account.signMessage),
        signTypedData: watch('typed data', account.signTypedData),
        signAuthorization: watch('authorization', account.signAuthorization),
      } as typeof account,
    }
  }

  return { account, intents, service, watched }
}
