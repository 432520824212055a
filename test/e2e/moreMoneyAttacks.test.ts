import { expect } from 'chai'
import { type Address, concatHex, type Hex, parseUnits } from 'viem'
import { intentDigest } from '../../sdk/src/signing.js'
import { encodeExecute } from '../../server/chain/contracts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { attackScene, codeOf, native } from '../support/attackScene.js'
import { until } from '../support/until.js'
import {
  authorization,
  balanceOf,
  fund,
  newUser,
  onDemandIntent,
  reader,
  sendFrom,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

describe('more attacks on the solver’s and other users’ money', () => {
  const { a, b, usdA, usdB, ten, aUser, pay, report, available, create, cashOut, booksAreRight, api } = attackScene()

  it('answers an action that holds the same signed intent twice with its reason', async () => {
    const user = newUser()
    const transfer = { from: 'solver' as const, to: user.address, token: usdB(), amount: 1n }
    const intent = await signedIntent(user, [{ chainId: b().chainId, tokenTransfers: [transfer], calls: [] }])
    const body = { user: user.address, chainAuthorizations: [], intents: [intent, intent] }
    const reply = await api.post('/actions', body)
    expect(reply.status, JSON.stringify(reply.body)).to.equal(400)
    expect(reply.body.issues).to.have.length(1)
    expect(reply.body.issues[0]).to.include({ path: '/intents/1', code: 'duplicate_intent' })
  })

  it('leaves a way to the money of a batch that a stranger ran without the solver’s transfers', async () => {
    const user = await aUser(2n * ten)
    await report(user.address, await pay(user))
    await rpc(a().rpcUrls[0]!, 'anvil_setCode', [user.address, concatHex(['0xef0100', a().delegates[0]!])])
    const batch = {
      chainId: a().chainId,
      tokenTransfers: [{ from: 'solver' as const, to: user.address, token: usdA(), amount: 5n }],
      calls: [{ to: usdA(), value: 0n, data: transferData(a().vault, ten) }],
    }
    const body = await signedIntent(user, [batch])
    const actionId = await create(user.address, [body])
    const intent = { ...body, mode: '7702' as const, chainBatches: [{ ...batch, hash: body.chainBatches[0]!.hash }] }
    const digest = intentDigest(intent)
    const hash = await sendFrom(a(), devAccount(6), {
      to: user.address,
      data: encodeExecute({ ...intent, digest }, 0),
    })
    const step = await api.execute(actionId, 0, 0)
    expect(step.body.error?.code, JSON.stringify(step.body)).to.equal('already_fulfilled')
    expect((await report(user.address, hash)).status).to.equal(200)
    expect(await available(user.address)).to.equal((2n * ten).toString())
    await booksAreRight()
  })

  it('pays one airdrop to a wallet in whatever letter case it is asked for at once', async () => {
    const wallet = newUser().address
    const cases = [wallet, wallet.toLowerCase(), `0x${wallet.slice(2).toUpperCase()}`]
    const tokens = ['usd', usdA(), `0x${usdA().slice(2).toUpperCase()}`]
    const asked = cases.flatMap((name) => tokens.map((token) => ({ name, token })))
    await Promise.all(asked.map(({ name, token }) => api.post(`/airdrop/${a().chainId}/${token}`, { wallet: name })))
    expect(await balanceOf(a(), usdA(), wallet)).to.equal(parseUnits('1000', 6))
    await booksAreRight()
  })

  it('answers a request for an airdrop to the vault, to nobody or to an operator', async () => {
    for (const wallet of [a().vault, native, devAccount(1).address]) {
      const reply = await api.post(`/airdrop/${a().chainId}/usd`, { wallet })
      expect(reply.status, JSON.stringify(reply.body)).to.be.oneOf([200, 400])
    }
    await booksAreRight()
  })

  it('pays a wallet once in a period, though it was a stranger who asked, for a smallest unit', async () => {
    const wallet = newUser().address
    const path = `/airdrop/${a().chainId}/usd`
    const paid = await api.post(path, { wallet, amount: '1' })
    expect(paid.status).to.equal(200)
    const { txHash } = paid.body.data
    for (const amount of [undefined, '1', '2', parseUnits('999', 6).toString()]) {
      const more = await api.post(path, { wallet, amount })
      expect(more.status, JSON.stringify(more.body)).to.equal(400)
      const { code, message, retryAfter } = more.body.error
      expect(code).to.equal('airdrop_cooldown')
      const had = `This wallet has had its airdrop, in transaction ${txHash}; the next is due in ${retryAfter} seconds.`
      expect(message).to.equal(had)
      expect(retryAfter).to.be.within(86_000, 86_400)
    }
    expect(await balanceOf(a(), usdA(), wallet)).to.equal(1n)
    await booksAreRight()
  })

  it('pays one of several amounts that are asked for at once for one wallet', async () => {
    const wallet = newUser().address
    const path = `/airdrop/${a().chainId}/usd`
    const amounts = Array.from({ length: 8 }, (_, index) => String(1 + index))
    const replies = await Promise.all(amounts.map((amount) => api.post(path, { wallet, amount })))
    const given = replies.filter(({ status }) => status !== 400).map(({ body }) => body.data.amount)
    expect(new Set(given).size, JSON.stringify(given)).to.equal(1)
    for (const { body } of replies) if (body.error) expect(body.error.code).to.equal('airdrop_cooldown')
    await until(async () => (await balanceOf(a(), usdA(), wallet)) > 0n, 'the airdrop')
    expect((await api.post(path, { wallet, amount: '1' })).body.error?.code).to.equal('airdrop_cooldown')
    expect(await balanceOf(a(), usdA(), wallet)).to.equal(BigInt(given[0]))
    await booksAreRight()
  })

  it('answers malformed legacy requests and identifiers with a reason', async () => {
    for (const id of [
      '0',
      'x',
      `${'9'.repeat(400)}`,
      `0x${'f'.repeat(130)}`,
      '%00',
      '%F0%9F%98%80',
      'a%2Fb',
      '..%2F..',
    ]) {
      for (const step of ['0', '-1', '1e3', '99999999999999999999', '2147483648', 'x']) {
        const reply = await api.get(`/intent/${id}/step/${step}/status`)
        expect(reply.status, `${id} ${step} ${JSON.stringify(reply.body)}`).to.be.oneOf([400, 404])
      }
    }
    const user = newUser()
    const batch = { hash: `0x${'00'.repeat(32)}`, chainId: '31337', calls: [] as object[] }
    const call = { to: usdA(), value: '0', data: '0x' }
    const bodies: object[] = []
    for (const chainId of ['31337', '031337', '0', '99999999999999999999999', 31337.5, -1, 1e300]) {
      for (const calls of [[], [call], [{ ...call, value: '-1' }], [{ ...call, value: (2n ** 256n).toString() }]]) {
        bodies.push({
          address: user.address,
          authorization: [
            { address: a().delegates[0], chainId, nonce: 0, r: `0x${'ff'.repeat(32)}`, s: '0x0', yParity: 7 },
          ],
          intentAuthorization: { signature: `0x${'ff'.repeat(65)}`, chainBatches: [{ ...batch, chainId, calls }] },
        })
      }
    }
    for (const body of bodies) {
      const reply = await api.post('/transaction/submit', body)
      expect(reply.status, JSON.stringify([body, reply.body])).to.equal(400)
    }
  })

  for (const way of ['a deposit', 'a payment', 'a signed batch'] as const) {
    it(`counts of a token that takes a fee what has arrived, paid as ${way}`, async () => {
      const weth = tokenOf(a(), 'weth').address
      const user = await aUser()
      const amount = parseUnits('1', 18)
      await rpc(a().rpcUrls[0]!, 'anvil_setCode', [weth, (codeOfDevToken ??= await codeAt(weth))])
      await fund(a(), user.address, { weth: amount })
      await rpc(a().rpcUrls[0]!, 'anvil_setCode', [weth, codeOf('GrossFeeToken')])
      const before = await balanceOf(a(), weth, a().vault)
      const transfer = { from: user.address, to: a().vault, token: weth, amount }
      const call = { to: weth, value: 0n, data: transferData(a().vault, amount) }
      if (way === 'a signed batch') {
        const nonce = await reader(a()).getTransactionCount({ address: user.address })
        const intent = await signedIntent(user, [{ chainId: a().chainId, tokenTransfers: [transfer], calls: [call] }])
        await api.execute(await create(user.address, [intent], [await authorization(user, a(), nonce)]), 0, 0)
      } else {
        const hash = await sendFrom(a(), user, call)
        if (way === 'a deposit') await report(user.address, hash, { tokenAddress: weth, amount: amount.toString() })
        else {
          const intent = onDemandIntent([{ chainId: a().chainId, tokenTransfers: [transfer] }])
          await api.execute(await create(user.address, [intent]), 0, 0, { hash })
        }
      }
      const arrived = (await balanceOf(a(), weth, a().vault)) - before
      expect(arrived).to.equal((amount * 9n) / 10n)
      // A deposit is refused with its reason; as a payment the same transfer becomes credit.
      const counted = way === 'a deposit' ? 0n : arrived
      expect(await available(user.address, weth)).to.equal(counted.toString())
      const paid = await cashOut(user, amount, tokenOf(b(), 'weth').address)
      expect(paid.body.error?.code).to.equal('insufficient_credit')
    })
  }

  let codeOfDevToken: Hex | undefined
  const codeAt = async (address: Address): Promise<Hex> => (await reader(a()).getCode({ address }))!
})
