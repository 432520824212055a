import { expect } from 'chai'
import { type Address, createWalletClient, custom, http, numberToHex, parseUnits } from 'viem'
import { CannotAuthorizeError, IntentError } from '../../sdk/src/errors.js'
import type { Progress } from '../../sdk/src/progress.js'
import { intentActions } from '../../sdk/src/viem.js'
import { devAccount } from '../../server/devnet/accounts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { useTestService } from '../support/useTestService.js'
import { balanceOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('the viem extension', () => {
  const { service } = useTestService()

  const amounts = { a: parseUnits('4', 6), b: parseUnits('4', 18) }

  function transfersOf(user: Address) {
    const [a, b] = service.chains
    return {
      pays: { from: user, to: a.vault, token: tokenOf(a, 'usd').address, amount: amounts.a },
      gets: { from: 'solver' as const, to: user, token: tokenOf(b, 'usd').address, amount: amounts.b },
    }
  }

  /** A wallet with keys of its own and one chain at a time, such as those in browsers; the nodes hold its keys. */
  function browserWallet(
    address: Address,
    {
      knows = service.chains.map(({ chainId }) => chainId),
      unknown = { code: 4902 } as object,
      onSwitch = () => {},
      /** While its user looks at a payment. */
      onSend = (_switchTo: (id: number) => void) => {},
    } = {},
  ) {
    const asked: string[] = []
    const sent: { chainId?: string }[] = []
    const switchTo = (id: number) => void (current = service.chains.find(({ chainId }) => chainId === id))
    const known = new Set(knows)
    let [current]: (ChainConfig | undefined)[] = service.chains
    const transport = custom({
      async request({ method, params }: { method: string; params?: unknown }) {
        asked.push(method)
        if (method === 'wallet_switchEthereumChain') {
          onSwitch()
          const [{ chainId }] = params as [{ chainId: string }]
          if (!known.has(Number(chainId))) throw Object.assign(new Error('Unrecognized chain'), unknown)
          current = service.chains.find((chain) => numberToHex(chain.chainId) === chainId)
          return null
        }
        if (method === 'wallet_addEthereumChain') {
          const [{ chainId, rpcUrls }] = params as [{ chainId: string; rpcUrls: string[] }]
          expect(rpcUrls).to.deep.equal([service.chains.find((chain) => chain.chainId === Number(chainId))!.rpcUrls[0]])
          known.add(Number(chainId))
          return null
        }
        if (method === 'eth_sendTransaction') {
          const [payment] = params as [{ chainId?: string }]
          onSend(switchTo)
          if (payment.chainId && Number(payment.chainId) !== current!.chainId) {
            throw Object.assign(new Error('Wrong chain'), { code: -32603 })
          }
          sent.push(payment)
        }
        return http(current!.rpcUrls[0])({}).request({ method, params } as never)
      },
    })
    return { asked, sent, switchTo, client: createWalletClient({ account: address, transport }) }
  }

  it('sends signed intents with a local account', async () => {
    const [a, b] = service.chains
    const account = newUser()
    await fund(a, account.address, { usd: amounts.a })
    const { pays, gets } = transfersOf(account.address)
    const wallet = createWalletClient({ account, transport: http(a.rpcUrls[0]) })
    const action = await wallet.extend(intentActions({ baseUrl: service.url })).sendIntents({
      intents: [
        {
          chainBatches: [
            {
              chainId: a.chainId,
              tokenTransfers: [pays],
              calls: [{ to: pays.token, value: 0n, data: transferData(a.vault, amounts.a) }],
            },
            { chainId: b.chainId, tokenTransfers: [gets], calls: [] },
          ],
        },
      ],
    })
    expect(action.status).to.equal('success')
    expect(await balanceOf(b, gets.token, account.address)).to.equal(amounts.b)
  })

  it('pays on demand with a wallet, on the chain of the payment, and has a refund signed by it', async () => {
    const [a, b] = service.chains
    const user = devAccount(6).address
    await fund(b, user, { usd: amounts.b })
    const [before, beforeB] = [await balanceOf(a, tokenOf(a, 'usd').address, user), amounts.b]
    const { client, asked } = browserWallet(user)
    const wallet = client.extend(intentActions({ baseUrl: service.url }))
    const pays = { from: user, to: b.vault, token: tokenOf(b, 'usd').address, amount: beforeB }
    const gets = { from: 'solver' as const, to: user, token: tokenOf(a, 'usd').address, amount: amounts.a - 1n }
    const progress: Progress[] = []
    const action = await wallet.sendOnDemand({
      intents: [
        {
          chainBatches: [
            { chainId: b.chainId, tokenTransfers: [pays] },
            { chainId: a.chainId, tokenTransfers: [gets] },
          ],
        },
      ],
      onProgress: (event) => progress.push(event),
    })
    expect(action.status).to.equal('success')
    expect(await balanceOf(a, gets.token, user)).to.equal(before + amounts.a - 1n)
    expect(asked).to.include.members(['wallet_switchEthereumChain', 'eth_sendTransaction', 'eth_signTypedData_v4'])
    const paid = progress.filter((event) => event.type === 'paid')
    expect(paid).to.have.length(1)
    expect(asked.filter((method) => method === 'eth_sendTransaction')).to.have.length(1)
    expect(action.intents[0]?.steps[0]?.transactionHash).to.equal(paid[0]?.hash)

    const back = { ...gets, amount: 1n }
    for (const signatureType of ['eip712', 'ecdsa'] as const) {
      const chainBatches = [{ chainId: a.chainId, tokenTransfers: [back], calls: [] }]
      const refund = wallet.sendIntents({ intents: [{ chainBatches, signatureType }] })
      // One unit is left of the credit.
      if (signatureType === 'eip712') expect((await refund).status).to.equal('success')
      else expect(await refund.catch((reason: unknown) => reason)).to.include({ code: 'insufficient_credit' })
    }
    expect(asked).to.include('personal_sign')
  })

  for (const [how, unknown] of [
    ['by its code', { code: 4902 }],
    ['within an internal error', { code: -32603, data: { originalError: { code: 4902 } } }],
    ['as the cause of an internal error', { code: -32603, cause: { code: 4902 } }],
  ] as const) {
    it(`has a wallet that says ${how} that it does not know the chain of a payment add it`, async () => {
      const [a, b] = service.chains
      const user = devAccount(9).address
      await fund(b, user, { usd: 5n })
      const { client, asked } = browserWallet(user, { knows: [a.chainId], unknown })
      const pays = { from: user, to: b.vault, token: tokenOf(b, 'usd').address, amount: 5n }
      const wallet = client.extend(intentActions({ baseUrl: service.url }))
      const action = await wallet.sendOnDemand({
        intents: [{ chainBatches: [{ chainId: b.chainId, tokenTransfers: [pays] }] }],
      })
      expect(action.status).to.equal('success')
      expect(asked.filter((method) => method.startsWith('wallet_'))).to.deep.equal([
        'wallet_switchEthereumChain',
        'wallet_addEthereumChain',
        'wallet_switchEthereumChain',
      ])
    })
  }

  it('asks a wallet to add no chain for another internal error', async () => {
    const [a, b] = service.chains
    const user = devAccount(9).address
    const { client, asked } = browserWallet(user, { knows: [a.chainId], unknown: { code: -32603 } })
    const pays = { from: user, to: b.vault, token: tokenOf(b, 'usd').address, amount: 5n }
    const sending = client
      .extend(intentActions({ baseUrl: service.url }))
      .sendOnDemand({ intents: [{ chainBatches: [{ chainId: b.chainId, tokenTransfers: [pays] }] }] })
    expect(await sending.catch((reason: unknown) => reason)).to.include({ code: -32603 })
    expect(asked.filter((method) => method.startsWith('wallet_'))).to.deep.equal(['wallet_switchEthereumChain'])
  })

  for (const knowing of ['knows', 'does not know']) {
    it(`asks a wallet that ${knowing} the chain for nothing more once the call is aborted`, async () => {
      const [a, b] = service.chains
      const user = devAccount(9).address
      const controller = new AbortController()
      const knows = knowing === 'knows' ? [a.chainId, b.chainId] : [a.chainId]
      const { client, asked } = browserWallet(user, { knows, onSwitch: () => controller.abort() })
      const pays = { from: user, to: b.vault, token: tokenOf(b, 'usd').address, amount: 5n }
      const sending = client.extend(intentActions({ baseUrl: service.url })).sendOnDemand({
        intents: [{ chainBatches: [{ chainId: b.chainId, tokenTransfers: [pays] }] }],
        signal: controller.signal,
      })
      expect(await sending.catch((reason: unknown) => reason)).to.equal(controller.signal.reason)
      // Answered behind whatever the call would have asked for.
      await client.getChainId()
      expect(asked).to.deep.equal(['eth_chainId', 'wallet_switchEthereumChain', 'eth_chainId'])
    })
  }

  it('pays native currency and calls of any kind on demand', async () => {
    const [a, b] = service.chains
    const user = devAccount(7).address
    const native = '0x0000000000000000000000000000000000000000'
    const wallet = browserWallet(user).client.extend(intentActions({ baseUrl: service.url }))
    const amount = parseUnits('0.5', 18)
    const before = await balanceOf(b, tokenOf(b, 'weth').address, user)
    const gets = { from: 'solver' as const, to: user, token: tokenOf(b, 'weth').address, amount }
    const action = await wallet.sendOnDemand({
      intents: [
        {
          chainBatches: [
            { chainId: a.chainId, tokenTransfers: [{ from: user, to: a.vault, token: native, amount }] },
            { chainId: b.chainId, tokenTransfers: [gets] },
          ],
        },
        {
          chainBatches: [
            { chainId: a.chainId, tokenTransfers: [], call: { to: newUser().address, value: 7n, data: '0x1234' } },
          ],
        },
      ],
    })
    expect(action.status).to.equal('success')
    expect(await balanceOf(b, gets.token, user)).to.equal(before + amount)
  })

  it('tells a wallet that would have to authorize a delegate what to do instead', async () => {
    const [a] = service.chains
    const user = devAccount(8).address
    const { client, asked } = browserWallet(user)
    const { pays } = transfersOf(user)
    const calls = [{ to: pays.token, value: 0n, data: transferData(a.vault, amounts.a) }]
    const chainBatches = [{ chainId: a.chainId, tokenTransfers: [pays], calls }]
    const wallet = client.extend(intentActions({ baseUrl: service.url }))
    const error = await wallet.sendIntents({ intents: [{ chainBatches }] }).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(CannotAuthorizeError)
    expect(asked).to.deep.equal([])
  })

  it('pays nothing on another chain than the payment’s', async () => {
    const [a, b] = service.chains
    const account = newUser()
    const wallet = createWalletClient({ account, transport: http(a.rpcUrls[0]) })
    const token = tokenOf(b, 'usd').address
    const pays = { from: account.address, to: b.vault, token, amount: 1n }
    const error = await wallet
      .extend(intentActions({ baseUrl: service.url }))
      .sendOnDemand({ intents: [{ chainBatches: [{ chainId: b.chainId, tokenTransfers: [pays] }] }] })
      .catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(IntentError)
    expect((error as Error).message).to.contain(`${b.chainId}`)
  })

  it('pays nothing once the wallet has changed to another chain, as for another tab', async () => {
    const [a, b] = service.chains
    const user = devAccount(6).address
    const { client, asked, switchTo } = browserWallet(user)
    const pays = { from: user, to: a.vault, token: tokenOf(a, 'usd').address, amount: 1n }
    const request = client.request
    client.request = (async (call: { method: string }, options: never) => {
      if (call.method === 'eth_getCode') switchTo(b.chainId)
      return request(call as never, options)
    }) as never
    const error = await client
      .extend(intentActions({ baseUrl: service.url }))
      .sendOnDemand({ intents: [{ chainBatches: [{ chainId: a.chainId, tokenTransfers: [pays] }] }] })
      .catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal(`The wallet is not on chain ${a.chainId}.`)
    expect(asked).not.to.include('eth_sendTransaction')
  })

  it('pays on each chain by itself, where two calls of one wallet overlap', async () => {
    const user = devAccount(5).address
    const { client, asked, sent } = browserWallet(user)
    const wallet = client.extend(intentActions({ baseUrl: service.url }))
    const before = await Promise.all(
      service.chains.map((chain) => balanceOf(chain, tokenOf(chain, 'usd').address, user)),
    )
    const pay = async (chain: ChainConfig) => {
      await fund(chain, user, { usd: 7n })
      const pays = { from: user, to: chain.vault, token: tokenOf(chain, 'usd').address, amount: 7n }
      return wallet.sendOnDemand({ intents: [{ chainBatches: [{ chainId: chain.chainId, tokenTransfers: [pays] }] }] })
    }
    const actions = await Promise.all(service.chains.map(pay))
    expect(actions.map(({ status }) => status)).to.deep.equal(['success', 'success'])
    expect(asked.filter((method) => method === 'eth_sendTransaction')).to.have.length(2)
    const after = await Promise.all(
      service.chains.map((chain) => balanceOf(chain, tokenOf(chain, 'usd').address, user)),
    )
    expect(after).to.deep.equal(before)
    expect(sent.map(({ chainId }) => Number(chainId))).to.have.members(service.chains.map(({ chainId }) => chainId))
  })

  it('tells a wallet for which chain a payment is, so that it refuses it on the one that it has changed to since', async () => {
    const [a, b] = service.chains
    const user = devAccount(6).address
    const { client, asked, sent } = browserWallet(user, { onSend: (switchTo) => switchTo(b.chainId) })
    const pays = { from: user, to: a.vault, token: tokenOf(a, 'usd').address, amount: 1n }
    const error = await client
      .extend(intentActions({ baseUrl: service.url }))
      .sendOnDemand({ intents: [{ chainBatches: [{ chainId: a.chainId, tokenTransfers: [pays] }] }] })
      .catch((reason: unknown) => reason)
    expect(error).to.have.property('name', 'TransactionExecutionError')
    expect(asked.filter((method) => method === 'eth_sendTransaction')).to.have.length(1)
    expect(sent).to.deep.equal([])
  })

  it('pays to the byte what the batch says, whatever a client marks its transactions with', async () => {
    const [a] = service.chains
    const account = newUser()
    await fund(a, account.address, { usd: 0n, native: parseUnits('1', 18) })
    const wallet = createWalletClient({ account, transport: http(a.rpcUrls[0]), dataSuffix: '0xdeadbeef' })
    const call = { to: newUser().address, value: 3n, data: '0x1234' as const }
    const action = await wallet
      .extend(intentActions({ baseUrl: service.url }))
      .sendOnDemand({ intents: [{ chainBatches: [{ chainId: a.chainId, tokenTransfers: [], call }] }] })
    expect(action.status).to.equal('success')
  })

  it('wants a wallet client with an account', () => {
    const wallet = createWalletClient({ transport: http(service.chains[0].rpcUrls[0]) })
    const extended = wallet.extend(intentActions({ baseUrl: service.url }))
    expect(() => extended.sendIntents({ intents: [] })).to.throw(IntentError, 'no account')
  })
})
