import { expect } from 'chai'
import { createWalletClient, type Hash, http } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'
import { attackScene } from '../support/attackScene.js'
import { until } from '../support/until.js'
import { fund, onDemandIntent, transferData } from '../support/wallets.js'

/** Blocks are judged when they are seen, and a reorganisation may put others in their place. */
describe('a payment that reverted in a block which is gone', () => {
  const scene = attackScene()
  const { a, usdA, ten, api } = scene

  it('is verified when it is registered again, once it has succeeded in another block', async () => {
    const node = (method: string, ...params: unknown[]) => rpc(a().rpcUrls[0]!, method, params)
    const user = await scene.aUser(0n)
    const intent = onDemandIntent([scene.payIn(user.address)])
    const actionId = await scene.create(user.address, [intent])
    const wallet = createWalletClient({ account: user, transport: http(a().rpcUrls[0]) })
    const payment = { to: usdA(), data: transferData(a().vault, ten), gas: 200_000n, chain: null }
    const hash = await wallet.sendTransaction(payment)
    await until(() => node('eth_getTransactionReceipt', hash), 'the payment to be mined')
    const register = () => api.execute(actionId, 0, 0, { action: 'register', hash })
    const { error } = (await register()).body
    expect(error).to.include({ code: 'transaction_mismatch', retryable: true })
    expect(error.message).to.include('reverted')

    const raw = (await node('eth_getRawTransactionByHash', hash)) as Hash
    await node('evm_setAutomine', false)
    await node('anvil_reorg', 1, [])
    await node('anvil_dropTransaction', hash)
    await node('evm_setAutomine', true)
    await fund(a(), user.address, { usd: ten })
    await node('eth_sendRawTransaction', raw)
    expect((await register()).body).to.include({ status: 'success', transactionHash: hash })
    expect(await scene.available(user.address)).to.equal(ten.toString())
    for (const vault of (await scene.compare()).vaults) expect(vault.unexplained).to.equal(0n)
  })
})
