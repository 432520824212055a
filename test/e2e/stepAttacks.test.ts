import { expect } from 'chai'
import { concatHex, type Hash } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'
import { createDeployer } from '../../server/devnet/deployContracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { attackScene, initCodeOf } from '../support/attackScene.js'
import { until } from '../support/until.js'
import { authorization, balanceOf, onDemandIntent, reader, signedIntent } from '../support/wallets.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'

describe('attacks by way of steps', () => {
  const scene = attackScene()
  const { a, b, usdA, usdB, ten, tenOnB, api } = scene
  const { aUser, pay, payer, report, available, payIn, payOut, create, cashOut, registration, booksAreRight } = scene

  it('spends the credit of a payout that happened, though the account did not run the batch', async () => {
    const user = await aUser()
    await report(user.address, await pay(user))
    const deployer = createDeployer(a().rpcUrls[0]!, devAccount(6))
    const pretender = await deployer.deploy(initCodeOf('Pretender'))
    await rpc(a().rpcUrls[0]!, 'anvil_setCode', [user.address, concatHex(['0xef0100', pretender])])
    const batch = {
      chainId: a().chainId,
      tokenTransfers: [{ from: 'solver' as const, to: user.address, token: usdA(), amount: ten }],
      calls: [{ to: user.address, value: 0n, data: '0x' as const }],
    }
    const nonce = await reader(a()).getTransactionCount({ address: user.address })
    const intent = await signedIntent(user, [batch])
    const actionId = await create(user.address, [intent], [await authorization(user, a(), nonce)])

    const url = a().rpcUrls[0]!
    await rpc(url, 'evm_setAutomine', [false])
    try {
      await api.execute(actionId, 0, 0, undefined, 0)
      const sent = await until(
        async () => (await api.get(`/actions/${actionId}/intents/0/steps/0`)).body.transactionHash as Hash | null,
        'the service’s transaction',
      )
      await until(
        () =>
          reader(a())
            .getTransaction({ hash: sent })
            .catch(() => null),
        'it in the pool',
      )
      // The user's own transaction goes first and makes the authorization invalid; his old delegate answers instead.
      const wallet = { to: user.address, value: 0n, gas: 50_000n, nonce, chainId: a().chainId }
      const raw = await user.signTransaction({
        ...wallet,
        maxFeePerGas: 200_000_000_000n,
        maxPriorityFeePerGas: 100_000_000_000n,
      })
      await rpc(url, 'anvil_dropTransaction', [sent])
      const first = (await rpc(url, 'eth_sendRawTransaction', [raw])) as Hash
      await rpc(url, 'evm_mine', [])
      await minedReceipt(reader(a()), first)
    } finally {
      await rpc(url, 'evm_setAutomine', [true])
    }
    await rpc(url, 'evm_mine', [])
    const step = await until(async () => {
      const { body } = await api.get(`/actions/${actionId}/intents/0/steps/0`)
      return body.status === 'executing' ? null : body
    }, 'the step’s end')
    expect(await balanceOf(a(), usdA(), user.address), JSON.stringify(step)).to.equal(ten)
    await cashOut(user)
    expect(await balanceOf(b(), usdB(), user.address), 'paid a second time').to.equal(0n)
    expect(await available(user.address)).to.equal('0')
    await booksAreRight()
  })

  it('can’t have one payout stand for two payments', async () => {
    const user = await aUser(2n * ten)
    const [early, late] = [await pay(user), await pay(user)]
    const first = await create(user.address, [
      onDemandIntent([payIn(user.address), payOut(user.address)]),
      onDemandIntent([payIn(user.address)]),
    ])
    // The other payment of the action comes first, so that the payout draws on it.
    await api.execute(first, 1, 0, { hash: early })
    await api.execute(first, 0, 0, { hash: late, action: 'register' })
    expect((await api.execute(first, 0, 1)).body.status).to.equal('success')

    const second = await create(user.address, [onDemandIntent([payIn(user.address), payOut(user.address)])])
    const signature = await registration(user, second, late)
    const taken = await api.execute(second, 0, 0, { hash: late, signature, action: 'register' })
    await api.execute(second, 0, 1)
    const paid = await api.execute(second, 0, 1)
    const received = await balanceOf(b(), usdB(), user.address)
    const credit = BigInt(await available(user.address))
    const seen = JSON.stringify([taken.body, paid.body])
    await booksAreRight()
    expect(received + credit * 10n ** 12n, seen).to.equal(2n * tenOnB)
  })

  it('can’t use up the attempts of a victim’s payment step by hashes of other transactions', async () => {
    const { user, hash } = await payer()
    const { hash: foreign } = await payer()
    const actionId = await create(user.address, [onDemandIntent([payIn(user.address), payOut(user.address)])])
    for (let i = 0; i < 5; i++) await api.execute(actionId, 0, 0, { hash: foreign })
    const signature = await registration(user, actionId, hash)
    const mine = await api.execute(actionId, 0, 0, { hash, signature })
    expect(mine.body.status, JSON.stringify(mine.body)).to.equal('success')
  })

  it('can’t occupy a victim’s payment step by a hash that never appears', async () => {
    const { user, hash } = await payer()
    const actionId = await create(user.address, [onDemandIntent([payIn(user.address), payOut(user.address)])])
    await api.execute(actionId, 0, 0, { hash: `0x${'ab'.repeat(32)}` }, 0)
    const signature = await registration(user, actionId, hash)
    const mine = await api.execute(actionId, 0, 0, { hash, signature })
    expect(mine.body.status, JSON.stringify(mine.body)).to.equal('success')
  })

  it('can’t use up the attempts of a signed intent before it becomes valid', async () => {
    const { user, hash } = await payer()
    await report(user.address, hash)
    const nbf = Math.floor(Date.now() / 1000) + 4
    const transfer = { from: 'solver' as const, to: user.address, token: usdB(), amount: tenOnB }
    const batch = { chainId: b().chainId, tokenTransfers: [transfer], calls: [] }
    const actionId = await create(user.address, [await signedIntent(user, [batch], { nbf })])
    for (let i = 0; i < 5; i++) await api.execute(actionId, 0, 0)
    await until(() => Date.now() / 1000 > nbf + 1, 'the intent’s time')
    const step = await api.execute(actionId, 0, 0)
    expect(step.body.status, JSON.stringify(step.body)).to.equal('success')
  })
})
