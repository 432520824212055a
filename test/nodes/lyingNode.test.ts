import { expect } from 'chai'
import { numberToHex } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'
import { nativeToken } from '../../server/domain/action.js'
import { type FaultyNode, type JsonCall, startFaultyNode } from '../chain/faultyNode.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { fund, newUser, onDemandIntent, sendFrom } from '../support/wallets.js'

/** The first of two nodes that have to agree; what it says of a transaction itself is in no receipt. */
describe('a node that lies about what a transaction says', function () {
  this.timeout(60_000)
  const liars = new Map<number, FaultyNode>()
  const { service, api } = useServiceOnChains(async (chain) => {
    const liar = await startFaultyNode(chain.rpcUrls[0])
    liars.set(chain.chainId, liar)
    return { ...chain, rpcUrls: [liar.url, chain.rpcUrls[0]!], agreement: 2 }
  })
  const chain = () => service.chains[0]
  const liar = () => liars.get(chain().chainId)!
  const honest = () => ({ ...chain(), rpcUrls: chain().rpcUrls.slice(1) })
  afterEach(() => liar().behave({ kind: 'pass' }))
  after(() => Promise.all([...liars.values()].map((one) => one.stop())))

  const isAsked = ({ method, params }: JsonCall, hash: string) =>
    method === 'eth_getTransactionByHash' && params[0] === hash

  /** A transaction that moves 3 of the native currency, and 5 by the node's word. */
  async function sent() {
    const [user, friend] = [newUser(), newUser().address]
    await fund(honest(), user.address, { native: 10n ** 18n })
    const hash = await sendFrom(honest(), user, { to: friend, value: 3n })
    const told = (await rpc(honest().rpcUrls[0]!, 'eth_getTransactionByHash', [hash])) as object
    const result = { ...told, value: numberToHex(5n) }
    liar().behave({ kind: 'answer', answer: (call) => (isAsked(call, hash) ? { result } : null) })
    return { user, friend, hash }
  }

  /** The service has asked for it often enough to have ended what it would end. */
  async function looked(hash: string): Promise<void> {
    const looks = () =>
      liar()
        .requests.flat()
        .filter((call) => isAsked(call, hash)).length
    const before = looks()
    await until(() => looks() > before + 4, 'looks at the transaction')
  }

  it('records no deposit of more than it was, while another node tells the truth', async () => {
    const { user, friend, hash } = await sent()
    const place = { user: friend, sender: user.address, tokenAddress: nativeToken, chainId: chain().chainId }
    const waiting = api.post('/coredeposit', { ...place, txHash: hash, amount: '5' })
    await looked(hash)
    expect((await api.get(`/coredeposit/${friend}`)).body.data.tokens).to.deep.equal([])
    liar().behave({ kind: 'pass' })
    expect((await waiting).body.error.code).to.equal('deposit_mismatch')
  })

  it('verifies no payment of less than is owed, while another node tells the truth', async () => {
    const { user, friend, hash } = await sent()
    const pays = { from: user.address, to: friend, token: nativeToken, amount: 5n }
    const created = await api.post('/actions', {
      user: user.address,
      intents: [onDemandIntent([{ chainId: chain().chainId, tokenTransfers: [pays] }])],
    })
    const { actionId } = created.body
    await api.execute(actionId, 0, 0, { hash }, 0)
    await looked(hash)
    const step = async () => (await api.get(`/actions/${actionId}/intents/0/steps/0`)).body
    const shown = await step()
    expect(shown).to.include({ status: 'executing', confirmations: shown.requiredConfirmations })
    await rpc(honest().rpcUrls[0]!, 'anvil_mine', ['0x5'])
    await looked(hash)
    expect(await step(), 'no news with each block').to.deep.equal(shown)
    liar().behave({ kind: 'pass' })
    await until(async () => (await step()).status !== 'executing', 'the step to end')
    expect((await step()).error.code).to.equal('transaction_mismatch')
  })
})
