import { expect } from 'chai'
import { parseUnits } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'
import { creditOf } from '../support/credit.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'
import { actionOf, fund, newUser, sendFrom, signedIntent, tokenOf, transferData } from '../support/wallets.js'

describe('a step that takes most of a block', function () {
  this.timeout(60_000)
  const { service, api, node } = useServiceBehindNode((chain) => chain)

  /** Of an action that calls, so many times, what burns 26 gas for each of so many rounds. */
  async function burn(rounds: number, times: number) {
    const [a] = service.chains
    const [user, target] = [newUser(), newUser().address]
    const code = `0x62${rounds.toString(16).padStart(6, '0')}5b60019003806004575f5f5500`
    await rpc(node().upstream!, 'anvil_setCode', [target, code])
    const { body } = await api.post(
      '/actions',
      await actionOf(user, a, Array(times).fill({ to: target, value: 0n, data: '0x' })),
    )
    return (await api.execute(body.actionId as string, 0, 0)).body
  }

  /** More than any block has. */
  const takesTooMuch = () =>
    node().behave({
      kind: 'answer',
      answer: ({ method }) => (method === 'eth_estimateGas' ? { result: '0x1c9c381' } : null),
    })

  const sends = () =>
    node()
      .requests.flat()
      .filter(({ method }) => method === 'eth_sendRawTransaction').length

  it('is carried out where the block has enough, though not with the usual margin', async () => {
    // 26 million of 30: with a fifth more it would be too much.
    expect(await burn(1_000_000, 1)).to.include({ status: 'success', error: null })
  })

  it('ends before anything is signed where no block has enough, and tells how much that is', async () => {
    takesTooMuch()
    const before = sends()
    const step = await burn(100_000, 2)
    expect(step).to.include({ status: 'error', transactionHash: null })
    expect(step.error).to.include({ code: 'gas_limit_exceeded', retryable: true })
    expect(step.error.message).to.contain('30000001').and.to.contain('30000000')
    expect(sends()).to.equal(before)
  })

  it('leaves its user the credit that was set aside for it', async () => {
    const [a] = service.chains
    const { chainId, vault } = a
    const [user, token, amount] = [newUser(), tokenOf(a, 'usd').address, 5_000_000n]
    await fund(a, user.address, { usd: amount, native: parseUnits('1', 18) })
    const txHash = await sendFrom(a, user, { to: token, data: transferData(vault, amount) })
    const parties = { user: user.address, sender: user.address, tokenAddress: token }
    const recorded = await api.post('/coredeposit', { ...parties, chainId, txHash, amount: amount.toString() })
    expect(recorded.status, JSON.stringify(recorded.body)).to.equal(200)
    const tokenTransfers = [{ from: 'solver' as const, to: user.address, token, amount }]
    const { body } = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [],
      intents: [await signedIntent(user, [{ chainId, tokenTransfers, calls: [] }])],
    })

    takesTooMuch()
    const before = sends()
    const step = (await api.execute(body.actionId as string, 0, 0)).body
    expect(step.error).to.include({ code: 'gas_limit_exceeded', retryable: true })
    expect(sends()).to.equal(before)
    expect(await creditOf(api, user.address)).to.include({ available: '5000000', reserved: '0' })

    node().behave({ kind: 'pass' })
    expect((await api.execute(body.actionId as string, 0, 0)).body).to.include({ status: 'success' })
    expect(await creditOf(api, user.address)).to.include({ available: '0', reserved: '0' })
  })
})
