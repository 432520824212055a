import { expect } from 'chai'
import { type Address, type Hash, parseUnits } from 'viem'
import { registrationTypedData } from '../../sdk/src/signing.js'
import { useTestService } from '../support/useTestService.js'
import {
  balanceOf,
  fund,
  newUser,
  onDemandIntent,
  reader,
  sendFrom,
  tokenOf,
  transferData,
} from '../support/wallets.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'

const native: Address = '0x0000000000000000000000000000000000000000'

describe('on-demand actions', () => {
  const { service, api } = useTestService()

  const usd = (amount: string) => ({ a: parseUnits(amount, 6), b: parseUnits(amount, 18) })

  /** A user with tokens and gas on chain A, and an action: he pays the vault there, the solver pays him on B. */
  async function anAction(options: { pays?: string; gets?: string; user?: ReturnType<typeof newUser> } = {}) {
    const [a, b] = service.chains
    const user = options.user ?? newUser()
    if (!options.user) await fund(a, user.address, { usd: usd('1000').a, native: parseUnits('1', 18) })
    const [usdA, usdB] = [tokenOf(a, 'usd').address, tokenOf(b, 'usd').address]
    const pays = usd(options.pays ?? '10').a
    const gets = usd(options.gets ?? '10').b
    const created = await api.post('/actions', {
      user: user.address,
      intents: [
        onDemandIntent([
          { chainId: a.chainId, tokenTransfers: [{ from: user.address, to: a.vault, token: usdA, amount: pays }] },
          { chainId: b.chainId, tokenTransfers: [{ from: 'solver', to: user.address, token: usdB, amount: gets }] },
        ]),
      ],
    })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    return { user, actionId: created.body.actionId as string, usdA, usdB, pays, gets }
  }

  function pay(user: ReturnType<typeof newUser>, token: Address, amount: bigint, to?: Address): Promise<Hash> {
    const [a] = service.chains
    return sendFrom(a, user, { to: token, data: transferData(to ?? a.vault, amount) })
  }

  it('verifies the user’s payment and pays him once, to the wei, without a further request', async () => {
    const [, b] = service.chains
    const { user, actionId, usdA, usdB, pays, gets } = await anAction()
    const hash = await pay(user, usdA, pays)
    const first = await api.execute(actionId, 0, 0, { action: 'execute', hash })
    expect(first.body, JSON.stringify(first.body)).to.include({ status: 'success', transactionHash: hash })
    const second = await api.execute(actionId, 0, 1)
    expect(second.body, JSON.stringify(second.body)).to.include({ status: 'success' })
    expect(await balanceOf(b, usdB, user.address)).to.equal(gets)
    await Promise.all(Array.from({ length: 10 }, () => api.execute(actionId, 0, 1)))
    expect(await balanceOf(b, usdB, user.address)).to.equal(gets)
  })

  it('takes a batch that asks for nothing but a transaction, and any bare one of the user to there', async () => {
    const [a] = service.chains
    const [user, to] = [newUser(), newUser().address]
    await fund(a, user.address, { native: parseUnits('1', 18) })
    const call = { to, value: '0', data: '0x' }
    const intents = [{ mode: 'non-7702:on-demand', chainBatches: [{ chainId: a.chainId, tokenTransfers: [], call }] }]
    const created = await api.post('/actions', { user: user.address, intents })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    const { actionId } = created.body as { actionId: string }
    expect((await api.execute(actionId, 0, 0)).body.error.code).to.equal('hash_required')
    const elsewhere = await sendFrom(a, user, { to: user.address, data: '0x' })
    const wrong = await api.execute(actionId, 0, 0, { action: 'execute', hash: elsewhere })
    expect(wrong.body.error).to.include({ code: 'transaction_mismatch' })
    const hash = await sendFrom(a, user, { to, data: '0x' })
    const right = await api.execute(actionId, 0, 0, { action: 'execute', hash })
    expect(right.body).to.include({ status: 'success', transactionHash: hash })
  })

  it('only registers when asked to, and pays when asked to', async () => {
    const [, b] = service.chains
    const { user, actionId, usdA, usdB, pays, gets } = await anAction()
    const hash = await pay(user, usdA, pays)
    const registered = await api.execute(actionId, 0, 0, {
      action: 'register',
      hash: hash.toUpperCase().replace('0X', '0x'),
    })
    expect(registered.body).to.include({ status: 'success', transactionHash: hash })
    expect((await api.get(`/actions/${actionId}/intents/0/steps/1`)).body.status).to.equal('created')
    expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')
    expect(await balanceOf(b, usdB, user.address)).to.equal(gets)
  })

  it('takes the payment that the user has sent again with higher fees, by his signature, until a block has the first', async () => {
    const { user, actionId, usdA, usdB, pays, gets } = await anAction()
    const register = async (hash: Hash) => {
      const registration = { actionId, intentIndex: 0, stepIndex: 0, hash }
      const signature = await user.signTypedData(registrationTypedData(registration))
      return api.execute(actionId, 0, 0, { hash, signature }, 0)
    }
    expect((await register(`0x${'5e'.repeat(32)}`)).body.status).to.equal('executing')
    const hash = await pay(user, usdA, pays)
    expect((await api.execute(actionId, 0, 0, { hash }, 0)).body.error.code).to.equal('transaction_already_registered')
    expect((await register(hash)).body.transactionHash).to.equal(hash)
    expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')
    const other = await register(`0x${'6e'.repeat(32)}`)
    expect(other.body.error.code).to.equal('transaction_already_registered')
    expect(await balanceOf(service.chains[1], usdB, user.address)).to.equal(gets)
  })

  it('moves native currency against wrapped tokens of its group', async () => {
    const [a, b] = service.chains
    const user = newUser()
    await fund(a, user.address, { native: parseUnits('3', 18) })
    const weth = tokenOf(b, 'weth').address
    const amount = parseUnits('2', 18)
    const created = await api.post('/actions', {
      user: user.address,
      intents: [
        onDemandIntent([
          { chainId: a.chainId, tokenTransfers: [{ from: user.address, to: a.vault, token: '0x0', amount }] },
          { chainId: b.chainId, tokenTransfers: [{ from: 'solver', to: user.address, token: weth, amount }] },
        ]),
      ],
    })
    expect(created.status, JSON.stringify(created.body)).to.equal(201)
    const hash = await sendFrom(a, user, { to: a.vault, value: amount })
    expect((await api.execute(created.body.actionId, 0, 0, { hash })).body.status).to.equal('success')
    expect((await api.execute(created.body.actionId, 0, 1)).body.status).to.equal('success')
    expect(await balanceOf(b, weth, user.address)).to.equal(amount)
  })

  it('pays native currency out of the vault', async () => {
    const [a, b] = service.chains
    const user = newUser()
    await fund(a, user.address, { weth: parseUnits('2', 18), native: parseUnits('1', 18) })
    const amount = parseUnits('1.5', 18)
    const token = tokenOf(a, 'weth').address
    const created = await api.post('/actions', {
      user: user.address,
      intents: [
        onDemandIntent([
          { chainId: a.chainId, tokenTransfers: [{ from: user.address, to: a.vault, token, amount }] },
          { chainId: b.chainId, tokenTransfers: [{ from: 'solver', to: user.address, token: native, amount }] },
        ]),
      ],
    })
    const hash = await pay(user, token, amount)
    expect((await api.execute(created.body.actionId, 0, 0, { hash })).body.status).to.equal('success')
    expect((await api.execute(created.body.actionId, 0, 1)).body.status).to.equal('success')
    expect(await reader(b).getBalance({ address: user.address })).to.equal(amount)
  })

  describe('refuse a transaction that is not what the batch says:', () => {
    async function outcome(actionId: string, hash: Hash) {
      const reply = await api.execute(actionId, 0, 0, { hash })
      expect(reply.status).to.equal(200)
      expect(reply.body.status).to.equal('error')
      expect((await api.execute(actionId, 0, 1)).body.error.code).to.equal('previous_step_incomplete')
      return reply.body.error as { code: string; message: string }
    }

    it('one that someone else has sent', async () => {
      const { actionId, usdA, pays } = await anAction()
      const other = await anAction()
      const error = await outcome(actionId, await pay(other.user, usdA, pays))
      expect(error.code).to.equal('transaction_mismatch')
      expect(error.message).to.contain('was sent by')
    })

    it('one that pays too small an amount', async () => {
      const { user, actionId, usdA, pays } = await anAction()
      const error = await outcome(actionId, await pay(user, usdA, pays - 1n))
      expect(error.code).to.equal('transaction_mismatch')
      expect(error.message).to.contain((pays - 1n).toString())
    })

    it('one that pays another token', async () => {
      const [a] = service.chains
      const { user, actionId } = await anAction()
      await fund(a, user.address, { weth: 10n ** 18n })
      const error = await outcome(actionId, await pay(user, tokenOf(a, 'weth').address, parseUnits('10', 6)))
      expect(error.code).to.equal('transaction_mismatch')
    })

    it('one that pays another recipient', async () => {
      const { user, actionId, usdA, pays } = await anAction()
      const error = await outcome(actionId, await pay(user, usdA, pays, newUser().address))
      expect(error.code).to.equal('transaction_mismatch')
    })

    it('one that reverted', async () => {
      const [a] = service.chains
      const { user, actionId, usdA } = await anAction()
      const wallet = reader(a)
      const data = transferData(a.vault, parseUnits('999999', 6))
      const raw = await user.signTransaction({
        chainId: a.chainId,
        type: 'eip1559',
        to: usdA,
        data,
        gas: 100_000n,
        nonce: await wallet.getTransactionCount({ address: user.address }),
        maxFeePerGas: 10n ** 10n,
        maxPriorityFeePerGas: 10n ** 9n,
      })
      const hash = await wallet.sendRawTransaction({ serializedTransaction: raw })
      await minedReceipt(wallet, hash)
      const error = await outcome(actionId, hash)
      expect(error.message).to.contain('reverted')
    })

    it('one that backs another step, in any letter case', async () => {
      const first = await anAction()
      const hash = await pay(first.user, first.usdA, first.pays)
      await api.execute(first.actionId, 0, 0, { hash })
      const second = await anAction({ user: first.user })
      for (const same of [hash, `0x${hash.slice(2).toUpperCase()}`]) {
        const reply = await api.execute(second.actionId, 0, 0, { hash: same })
        expect(reply.status).to.equal(400)
        expect(reply.body.error.code).to.equal('transaction_already_used')
      }
    })
  })

  it('waits for a transaction that is not there yet', async () => {
    const { actionId } = await anAction()
    const hash = `0x${'12'.repeat(32)}`
    const reply = await api.execute(actionId, 0, 0, { hash }, 1)
    expect(reply.status).to.equal(202)
    expect(reply.body).to.include({ status: 'executing', transactionHash: hash })
  })

  it('takes the right transaction after a wrong one', async () => {
    const { user, actionId, usdA, pays } = await anAction()
    await api.execute(actionId, 0, 0, { hash: await pay(user, usdA, 1n) })
    const reply = await api.execute(actionId, 0, 0, { hash: await pay(user, usdA, pays) })
    expect(reply.body).to.include({ status: 'success', attempts: 2 })
  })

  it('pays no more than what arrived', async () => {
    const [, b] = service.chains
    const { user, actionId, usdA, usdB, pays } = await anAction({ pays: '10', gets: '10.000001' })
    await api.execute(actionId, 0, 0, { action: 'register', hash: await pay(user, usdA, pays) })
    const reply = await api.execute(actionId, 0, 1)
    expect(reply.status).to.equal(400)
    expect(reply.body.error).to.include({ code: 'insufficient_credit', required: usd('10.000001').b.toString() })
    expect(reply.body.error.available).to.equal(usd('10').b.toString())
    expect(await balanceOf(b, usdB, user.address)).to.equal(0n)
  })

  it('says that other credit of the user pays nothing in it, so that he pays in no more in vain', async () => {
    const [a] = service.chains
    const { user, actionId, usdA, pays } = await anAction({ pays: '10', gets: '12' })
    await api.execute(actionId, 0, 0, { action: 'register', hash: await pay(user, usdA, pays) })
    const deposit = {
      user: user.address,
      sender: user.address,
      txHash: await pay(user, usdA, usd('5').a),
      tokenAddress: usdA,
      chainId: a.chainId,
      amount: usd('5').a.toString(),
    }
    expect((await api.post('/coredeposit', deposit)).status).to.equal(200)
    const { error } = (await api.execute(actionId, 0, 1)).body
    expect(error).to.include({ code: 'insufficient_credit', available: usd('10').b.toString() })
    expect(error.message).to.match(/paid in this action.* Other credit pays in signed intents only\.$/)
  })
})
