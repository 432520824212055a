import { expect } from 'chai'
import { concat, type Address } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'
import type { JsonCall } from '../chain/faultyNode.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'
import { authorization, fund, newUser, signedIntent, tokenOf, transferData } from '../support/wallets.js'

describe('whether a user’s account may run a step', function () {
  this.timeout(30_000)
  const older: Address = `0x${'0d'.repeat(20)}`
  const { service, api, node } = useServiceBehindNode(async (chain) => {
    const [url] = chain.rpcUrls
    const code = await rpc(url!, 'eth_getCode', [chain.delegates[0], 'latest'])
    await rpc(url!, 'anvil_setCode', [older, code])
    return { ...chain, delegates: [...chain.delegates, older] }
  })

  async function execute({
    user = newUser(),
    isAuthorized,
  }: {
    user?: ReturnType<typeof newUser>
    isAuthorized: boolean
  }) {
    const [a] = service.chains
    const usd = tokenOf(a, 'usd').address
    await fund(a, user.address, { usd: 10n })
    const calls = [{ to: usd, value: 0n, data: transferData(a.vault, 5n) }]
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: isAuthorized ? [await authorization(user, a)] : [],
      intents: [await signedIntent(user, [{ chainId: a.chainId, tokenTransfers: [], calls }])],
    })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    return (await api.execute(created.body.actionId, 0, 0)).body
  }

  const simulated = (asked: JsonCall[][]) =>
    asked
      .flat()
      .filter(({ method }) => method === 'eth_simulateV1')
      .map(({ params }) => (params[0] as { blockStateCalls: { stateOverrides?: object }[] }).blockStateCalls[0]!)

  it('is told though no node can say what the step would do', async () => {
    node().behave({
      kind: 'answer',
      answer: ({ method }) =>
        method === 'eth_simulateV1' ? { error: { code: -32000, message: 'missing trie node' } } : null,
    })
    const before = node().requests.length
    const { status, error } = await execute({ isAuthorized: false })
    expect([status, error?.code]).to.deep.equal(['error', 'authorization_missing'])
    expect(node().requests.length).to.be.above(before)
  })

  it('goes by the delegate that it has, not by the one that an authorization names', async () => {
    const [a] = service.chains
    const user = newUser()
    await rpc(a.rpcUrls[0]!, 'anvil_setCode', [user.address, concat(['0xef0100', older])])
    const before = node().requests.length
    const { status, transactionHash } = await execute({ user, isAuthorized: true })
    expect(status).to.equal('success')
    const sent = (await rpc(a.rpcUrls[0]!, 'eth_getTransactionByHash', [transactionHash])) as { type: string }
    expect(sent.type).to.equal('0x2')
    // The last word is a run with the code that the account has.
    expect(simulated(node().requests.slice(before)).at(-1)).to.not.have.property('stateOverrides')
  })
})
