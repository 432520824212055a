import { expect } from 'chai'
import { type Abi, concatHex, encodeFunctionData, erc20Abi, type Hash, parseUnits } from 'viem'
import { delegateAbi, devTokenAbi } from '../../server/chain/generated/contracts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { createDeployer } from '../../server/devnet/deployContracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { attackers, attackScene, initCodeOf, native } from '../support/attackScene.js'
import { randomHash } from '../support/builders.js'
import { until } from '../support/until.js'
import {
  authorization,
  balanceOf,
  fund,
  onDemandIntent,
  reader,
  sendFrom,
  signedIntent,
  transferData,
} from '../support/wallets.js'

describe('attacks by way of deposit reports', () => {
  const scene = attackScene()
  const { a, b, usdA, usdB, ten, tenOnB, api } = scene
  const { aUser, pay, payer, report, balance, available, payIn, payOut, create, cashOut, withdraw, booksAreRight } =
    scene

  it('can’t be shown an owner’s withdrawal as a deposit, so that it is never taken from the credit', async () => {
    const { user, hash } = await payer()
    await report(user.address, hash)
    const returned = await withdraw(usdA(), user.address, ten)
    const disguised = await report(user.address, returned, { sender: a().vault })
    const withdrawal = await report(user.address, returned, { sender: a().vault, isDeposit: false })
    await cashOut(user)
    expect(await balanceOf(b(), usdB(), user.address), 'paid a second time').to.equal(0n)
    expect(withdrawal.status, JSON.stringify([disguised.body, withdrawal.body])).to.equal(200)
    expect(await available(user.address)).to.equal('0')
  })

  it('records the owner’s withdrawal of native currency', async () => {
    const user = await aUser()
    const value = parseUnits('1', 18)
    const token = { tokenAddress: native, amount: value.toString() }
    await report(user.address, await sendFrom(a(), user, { to: a().vault, value }), token)
    expect(await available(user.address, native)).to.equal(value.toString())
    const returned = await withdraw(native, user.address, value)
    const withdrawal = await report(user.address, returned, { ...token, sender: a().vault, isDeposit: false })
    expect(withdrawal.status, JSON.stringify(withdrawal.body)).to.equal(200)
    expect(await available(user.address, native)).to.equal('0')
  })

  it('can’t keep a victim from his deposit by reporting it as a withdrawal', async () => {
    const user = await aUser(0n)
    // Anybody's transfer to the victim will do: a stranger records it for him.
    await fund(a(), devAccount(6).address, { usd: ten })
    const gift = await sendFrom(a(), devAccount(6), { to: usdA(), data: transferData(user.address, ten) })
    expect((await report(user.address, gift, { sender: devAccount(6).address })).body.data.record.custody).to.equal(
      'wallet',
    )
    const hash = await pay(user)
    const attack = await report(user.address, hash, { isDeposit: false })
    const deposit = await report(user.address, hash)
    expect(deposit.status, JSON.stringify([attack.body, deposit.body])).to.equal(200)
    expect(await available(user.address)).to.equal(ten.toString())
  })

  it('can’t keep a victim from his deposit by registering it for a step that never comes to its turn', async () => {
    const { user, hash } = await payer()
    const actionId = await create(user.address, [onDemandIntent([payIn(user.address), payIn(user.address)])])
    const unknown = await api.execute(actionId, 0, 0, { hash: randomHash(), action: 'register' }, 0)
    const occupied = await api.execute(actionId, 0, 1, { hash, action: 'register' }, 0)
    expect([unknown.body.status, occupied.body.status]).to.deep.equal(['executing', 'executing'])
    const deposit = await report(user.address, hash)
    expect(deposit.status, JSON.stringify(deposit.body)).to.equal(200)
    expect(await available(user.address)).to.equal(ten.toString())
    await cashOut(user)
    expect(await balanceOf(b(), usdB(), user.address)).to.equal(tenOnB)
  })

  it('can’t keep a victim from his deposit by registering it for a step that it does not pay', async () => {
    const { user, hash } = await payer()
    const actionId = await create(user.address, [onDemandIntent([payIn(user.address, 2n * ten)])])
    const [, deposit] = await Promise.all([
      api.execute(actionId, 0, 0, { hash, action: 'register' }),
      report(user.address, hash),
    ])
    expect(deposit.status, JSON.stringify(deposit.body)).to.equal(200)
    expect(await available(user.address)).to.equal(ten.toString())
  })

  /** One transaction of the user's own account with several transfers to the vault. */
  async function payAtOnce(...amounts: bigint[]) {
    const user = await aUser(amounts.reduce((sum, amount) => sum + amount, 0n))
    await rpc(a().rpcUrls[0]!, 'anvil_setCode', [user.address, concatHex(['0xef0100', a().delegates[0]!])])
    const calls = amounts.map((amount) => ({ to: usdA(), value: 0n, data: transferData(a().vault, amount) }))
    const data = encodeFunctionData({ abi: delegateAbi, functionName: 'selfExecute', args: [calls] })
    return { user: user.address, hash: await sendFrom(a(), user, { to: user.address, data }) }
  }

  it('credits both of two equal transfers in one transaction', async () => {
    const user = await aUser(2n * ten)
    await rpc(a().rpcUrls[0]!, 'anvil_setCode', [user.address, concatHex(['0xef0100', a().delegates[0]!])])
    const call = { to: usdA(), value: 0n, data: transferData(a().vault, ten) }
    const data = encodeFunctionData({ abi: delegateAbi, functionName: 'selfExecute', args: [[call, call]] })
    const hash = await sendFrom(a(), user, { to: user.address, data })
    await report(user.address, hash)
    const again = await report(user.address, hash)
    const whole = await report(user.address, hash, { amount: (2n * ten).toString() })
    expect(await available(user.address), JSON.stringify([again.body, whole.body])).to.equal((2n * ten).toString())
  })

  it('records one of several transfers, then all that are left as their sum, and none again', async () => {
    const { user, hash } = await payAtOnce(ten, ten, 2n * ten)
    const amountsAndOutcomes = [
      [ten, 'none', ten],
      [4n * ten, 'transaction_already_used', ten],
      [5n * ten, 'deposit_mismatch', ten],
      [3n * ten, 'none', 4n * ten],
      [ten, 'none', 4n * ten],
      [3n * ten, 'none', 4n * ten],
      [2n * ten, 'transaction_already_used', 4n * ten],
    ] as const
    for (const [amount, code, credited] of amountsAndOutcomes) {
      const reply = await report(user, hash, { amount: amount.toString() })
      expect(reply.body.error?.code ?? 'none', `${amount}`).to.equal(code)
      expect(await available(user)).to.equal(credited.toString())
    }
    await booksAreRight()
  })

  it('records each of equal transfers once, however often and at once the report comes', async () => {
    const { user, hash } = await payAtOnce(ten, ten)
    for (let round = 0; round < 3; round++) {
      const replies = await Promise.all(Array.from({ length: 4 }, () => report(user, hash)))
      expect(replies.map((reply) => reply.status)).to.deep.equal([200, 200, 200, 200])
    }
    expect(await available(user)).to.equal((2n * ten).toString())
    await booksAreRight()
  })

  it('records a payment between two users as the one’s withdrawal and the other’s deposit', async () => {
    const [payer, payee] = [await aUser(), await aUser(0n)]
    await fund(a(), devAccount(6).address, { usd: ten })
    const gift = await sendFrom(a(), devAccount(6), { to: usdA(), data: transferData(payer.address, ten) })
    await report(payer.address, gift, { sender: devAccount(6).address })
    const hash = await sendFrom(a(), payer, { to: usdA(), data: transferData(payee.address, ten) })
    const into = await report(payee.address, hash, { sender: payer.address })
    const out = await report(payer.address, hash, { isDeposit: false })
    expect([into.status, out.status], JSON.stringify([into.body, out.body])).to.deep.equal([200, 200])
    expect((await balance(payee.address))?.amount).to.equal(ten.toString())
    expect((await balance(payer.address))?.amount).to.equal('0')
  })

  it('takes no payout of the service for an owner’s withdrawal', async () => {
    const { user, hash } = await payer()
    await report(user.address, hash, {})
    const paid = await api.post(`/airdrop/${a().chainId}/usd`, { wallet: user.address, amount: ten.toString() })
    const reply = await report(user.address, paid.body.data.txHash, { sender: a().vault, isDeposit: false })
    expect(reply.body.error.code).to.equal('deposit_mismatch')
    expect(await available(user.address)).to.equal(ten.toString())
  })

  it('records no deposit of a transfer to oneself', async () => {
    const user = await aUser()
    const hash = await sendFrom(a(), user, { to: usdA(), data: transferData(user.address, ten) })
    const reply = await report(user.address, hash)
    expect(reply.status, JSON.stringify(reply.body)).to.equal(400)
    expect((await balance(user.address))?.amount ?? '0').to.equal('0')
  })

  it('credits a payment once when it is reported as a deposit and as a step at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const { user, hash } = await payer()
      const actionId = await create(user.address, [onDemandIntent([payIn(user.address), payOut(user.address)])])
      const upper = `0x${hash.slice(2).toUpperCase()}`
      await Promise.all([
        api.execute(actionId, 0, 0, { hash }),
        report(user.address, upper),
        report(user.address, hash),
        api.execute(actionId, 0, 0, { hash: upper }),
      ])
      await api.execute(actionId, 0, 1)
      await cashOut(user)
      expect(await balanceOf(b(), usdB(), user.address)).to.equal(tenOnB)
      expect(await available(user.address)).to.equal('0')
    }
  })

  it('credits what a signed batch pays once, though it is reported as a deposit while it is executed', async () => {
    const user = await aUser()
    const batch = {
      chainId: a().chainId,
      tokenTransfers: [{ from: user.address, to: a().vault, token: usdA(), amount: ten }],
      calls: [{ to: usdA(), value: 0n, data: transferData(a().vault, ten) }],
    }
    const nonce = await reader(a()).getTransactionCount({ address: user.address })
    const actionId = await create(
      user.address,
      [await signedIntent(user, [batch])],
      [await authorization(user, a(), nonce)],
    )
    await api.execute(actionId, 0, 0, undefined, 0)
    const hash = await until(
      async () => (await api.get(`/actions/${actionId}/intents/0/steps/0`)).body.transactionHash as Hash | null,
      'the transaction',
    )
    await report(user.address, hash)
    expect((await api.execute(actionId, 0, 0)).body.status).to.equal('success')
    await report(user.address, hash)
    expect(await available(user.address)).to.equal(ten.toString())
    await booksAreRight()
  })

  it('credits what a stranger moves by an allowance to whom it came from, and not to the stranger', async () => {
    const user = await aUser()
    const relayer = await aUser(0n)
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [relayer.address, ten] })
    await sendFrom(a(), user, { to: usdA(), data: approve })
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [user.address, a().vault, ten],
    })
    const hash = await sendFrom(a(), relayer, { to: usdA(), data })
    const call = { to: usdA(), value: 0n, data }
    const actionId = await create(relayer.address, [
      onDemandIntent([{ chainId: a().chainId, tokenTransfers: [], call }, payOut(relayer.address)]),
    ])
    expect((await api.execute(actionId, 0, 0, { hash, action: 'register' })).body.status).to.equal('success')
    expect((await api.execute(actionId, 0, 1)).body.error.code).to.equal('insufficient_credit')
    expect(await available(relayer.address)).to.equal('0')
    expect((await report(relayer.address, hash)).status).to.equal(400)
    expect((await report(user.address, hash)).status).to.equal(200)
    expect(await available(user.address)).to.equal(ten.toString())
  })

  it('credits native currency that a contract passes on to nobody who merely sent the transaction', async () => {
    const user = await aUser()
    const deployer = createDeployer(a().rpcUrls[0]!, devAccount(6))
    const forwarder = await deployer.deploy(initCodeOf('Forwarder'))
    const value = parseUnits('1', 18)
    const data = encodeFunctionData({
      abi: attackers.Forwarder!.abi as Abi,
      functionName: 'pay',
      args: [a().vault],
    })
    const hash = await sendFrom(a(), user, { to: forwarder, value, data })
    const token = { tokenAddress: native, amount: value.toString() }
    expect((await report(user.address, hash, token)).body.error.code).to.equal('deposit_mismatch')
    expect(await available(user.address, native)).to.equal('0')
  })

  it('records nothing of the solver’s own inventory that was minted into the vault', async () => {
    const data = encodeFunctionData({ abi: devTokenAbi, functionName: 'mint', args: [a().vault, ten] })
    const hash = await sendFrom(a(), devAccount(0), { to: usdA(), data })
    const reply = await report(native, hash)
    expect(reply.status, JSON.stringify(reply.body)).to.equal(400)
    expect(await available(native)).to.equal('0')
  })

  it('takes no report for the service itself, whose money is nobody’s credit', async () => {
    const { user, hash } = await payer()
    const message = 'user may not be the vault, an operator, a delegate or the zero address'
    const issues = [{ path: '/user', message, code: 'user_not_allowed' }]
    for (const nobody of [native, a().vault, b().vault, a().delegates[0]!, devAccount(1).address]) {
      for (const isDeposit of [true, false]) {
        const reply = await report(nobody, hash, { isDeposit })
        expect(reply.status, nobody).to.equal(400)
        expect(reply.body.error).to.deep.equal({ message, code: 'validation_failed', issues })
      }
    }
    expect((await report(user.address, hash)).status).to.equal(200)
  })

  it('answers malformed deposit reports with a reason', async () => {
    const { user, hash } = await payer()
    const bad = [
      { chainId: 1e300 },
      { chainId: 0 },
      { txHash: '0x' },
      { txHash: `0X${hash.slice(2)}` },
      { amount: '0' },
      { amount: '-1' },
      { amount: (2n ** 256n - 1n).toString() },
      { amount: (2n ** 256n).toString() },
      { sender: a().vault },
      { sender: a().vault, user: a().vault },
      { sender: a().vault, user: a().vault, isDeposit: false },
      { sender: native, user: native },
      { user: devAccount(1).address },
      { isDeposit: false },
      { isDeposit: 'false' },
      { tokenAddress: native },
    ]
    for (const more of bad) {
      const reply = await report(user.address, hash, more)
      expect(reply.status, JSON.stringify([more, reply.body])).to.equal(400)
    }
    expect((await report(user.address, hash)).status).to.equal(200)
  })
})
