import { expect } from 'chai'
import { type Abi, type Address, encodeDeployData, type Hash, parseUnits } from 'viem'
import { devTokenAbi, devTokenBytecode, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { createDeployer } from '../../server/devnet/deployContracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { registrationTypedData } from '../../sdk/src/signing.js'
import type { Reply } from '../support/api.js'
import { availableOf } from '../support/credit.js'
import { useTestService } from '../support/useTestService.js'
import {
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

type User = ReturnType<typeof newUser>

describe('attacks on the solver’s and other users’ money', () => {
  const { service, api } = useTestService()

  const chains = () => service.chains
  const usd = (index: 0 | 1) => tokenOf(chains()[index], 'usd').address

  async function payer(amount = '10'): Promise<{ user: User; hash: Hash }> {
    const [a] = chains()
    const user = newUser()
    await fund(a, user.address, { usd: parseUnits(amount, 6), native: parseUnits('1', 18) })
    const data = transferData(a.vault, parseUnits(amount, 6))
    return { user, hash: await sendFrom(a, user, { to: usd(0), data }) }
  }

  async function anAction(user: Address, pays = '10', gets = '10', to = user): Promise<Reply> {
    const [a, b] = chains()
    return api.post('/actions', {
      user,
      intents: [
        onDemandIntent([
          {
            chainId: a.chainId,
            tokenTransfers: [{ from: user, to: a.vault, token: usd(0), amount: parseUnits(pays, 6) }],
          },
          {
            chainId: b.chainId,
            tokenTransfers: [{ from: 'solver', to, token: usd(1), amount: parseUnits(gets, 18) }],
          },
        ]),
      ],
    })
  }

  function report(user: Address, hash: string, more: object = {}) {
    const [a] = chains()
    const base = { user, sender: user, txHash: hash, tokenAddress: usd(0), chainId: a.chainId, amount: '10000000' }
    return api.post('/coredeposit', { ...base, ...more })
  }

  const available = (user: Address) => availableOf(api, user)

  /** Nothing leaves the vault that pays, whatever happens. */
  async function vaultUntouched(attack: () => Promise<void>): Promise<void> {
    const [, b] = chains()
    const before = await balanceOf(b, usd(1), b.vault)
    await attack()
    expect(await balanceOf(b, usd(1), b.vault)).to.equal(before)
  }

  it('can’t redirect a payment to someone else', () =>
    vaultUntouched(async () => {
      const { user, hash } = await payer()
      const thief = newUser().address
      expect((await anAction(user.address, '10', '10', thief)).body.issues[0].code).to.equal('recipient_not_allowed')
      const own = await anAction(thief)
      const claimed = await api.execute(own.body.actionId, 0, 0, { hash })
      expect(claimed.body.error.code).to.equal('transaction_mismatch')
      expect((await report(thief, hash, { sender: user.address })).body.error.code).to.equal('deposit_mismatch')
    }))

  it('can’t use a payment as a step and as a deposit, in either order', async () => {
    const first = await payer()
    const action = await anAction(first.user.address)
    await api.execute(action.body.actionId, 0, 0, { action: 'register', hash: first.hash })
    expect((await report(first.user.address, first.hash)).body.error.code).to.equal('transaction_already_used')

    const second = await payer()
    expect((await report(second.user.address, second.hash)).status).to.equal(200)
    const late = await anAction(second.user.address)
    const refused = await api.execute(late.body.actionId, 0, 0, {
      hash: second.hash,
    })
    expect(refused.body.error.code).to.equal('transaction_already_used')
    expect(await available(second.user.address)).to.equal('10000000')
  })

  it('can’t use a payment on two steps at once', async () => {
    const { user, hash } = await payer()
    const created = await Promise.all(Array.from({ length: 10 }, () => anAction(user.address)))
    const ids = created.map((reply) => reply.body.actionId as string)
    const replies = await Promise.all(ids.map((id) => api.execute(id, 0, 0, { hash })))
    expect(replies.filter((reply) => reply.body.status === 'success')).to.have.length(1)
    await Promise.all(ids.map((id) => api.execute(id, 0, 1)))
    const [, b] = chains()
    expect(await balanceOf(b, usd(1), user.address)).to.equal(parseUnits('10', 18))
  })

  it('can’t keep a victim from his payment by a junk action: his signature takes it over', async () => {
    const { user, hash } = await payer()
    const junk = await anAction(user.address, '10', '0.000001')
    await api.execute(junk.body.actionId, 0, 0, { action: 'register', hash })
    const mine = await anAction(user.address)
    const { actionId } = mine.body
    expect((await api.execute(actionId, 0, 0, { hash })).body.error.code).to.equal('transaction_already_used')
    const wrong = await newUser().signTypedData(registrationTypedData({ actionId, intentIndex: 0, stepIndex: 0, hash }))
    const forged = await api.execute(actionId, 0, 0, { hash, signature: wrong })
    expect(forged.body.error.code).to.equal('registration_signature_mismatch')
    const signature = await user.signTypedData(registrationTypedData({ actionId, intentIndex: 0, stepIndex: 0, hash }))
    expect((await api.execute(actionId, 0, 0, { hash, signature })).body.status).to.equal('success')
    expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')
    expect((await api.execute(junk.body.actionId, 0, 1)).body.error.code).to.equal('previous_step_incomplete')
  })

  it('can’t move a user’s credit without his signature', () =>
    vaultUntouched(async () => {
      const { user, hash } = await payer()
      await report(user.address, hash)
      const [, b] = chains()
      const solverOnly = onDemandIntent([
        {
          chainId: b.chainId,
          tokenTransfers: [{ from: 'solver', to: user.address, token: usd(1), amount: parseUnits('10', 18) }],
        },
      ])
      const created = await api.post('/actions', { user: user.address, intents: [solverOnly] })
      expect((await api.execute(created.body.actionId, 0, 0)).body.error.code).to.equal('insufficient_credit')
      expect(await available(user.address)).to.equal('10000000')
    }))

  it('can’t overdraw by two hundred parallel requests', async () => {
    const [, b] = chains()
    const { user, hash } = await payer()
    await report(user.address, hash)
    const created = []
    for (let nbf = 0; nbf < 200; nbf++) {
      const transfer = { from: 'solver' as const, to: user.address, token: usd(1), amount: parseUnits('1', 18) }
      const batch = { chainId: b.chainId, tokenTransfers: [transfer], calls: [] }
      const intents = [await signedIntent(user, [batch], { nbf })]
      created.push(await api.post('/actions', { user: user.address, chainAuthorizations: [], intents }))
    }
    const replies = await Promise.all(created.map((reply) => api.execute(reply.body.actionId, 0, 0, undefined, 40)))
    const ends = replies.map(({ body }): string => body.error?.code ?? body.status)
    const refused = new Array<string>(190).fill('insufficient_credit')
    expect(ends.sort()).to.deep.equal([...refused, ...new Array<string>(10).fill('success')])
    expect(await balanceOf(b, usd(1), user.address)).to.equal(parseUnits('10', 18))
    expect(await available(user.address)).to.equal('0')
  }).timeout(90_000)

  it('can’t pay with a token of one’s own making', () =>
    vaultUntouched(async () => {
      const [a] = chains()
      const user = newUser()
      const deployer = createDeployer(a.rpcUrls[0]!, devAccount(6))
      const args = ['Fake Dollar', 'USD', 6, devAccount(6).address] as const
      const fake = await deployer.deploy(encodeDeployData({ abi: devTokenAbi, bytecode: devTokenBytecode, args }))
      await deployer.call(fake, devTokenAbi as Abi, 'mint', [user.address, 10_000_000n])
      await fund(a, user.address, { native: parseUnits('1', 18) })
      const hash = await sendFrom(a, user, { to: fake, data: transferData(a.vault, 10_000_000n) })
      const real = await anAction(user.address)
      expect((await api.execute(real.body.actionId, 0, 0, { hash })).body.error.code).to.equal('transaction_mismatch')
      expect((await report(user.address, hash, { tokenAddress: fake })).body.error.code).to.equal('token_unsupported')
      expect(await available(user.address)).to.equal('0')
    }))

  it('is not to be paid to the vault in a token that it can’t give back', async () => {
    const [a, b] = chains()
    const user = newUser()
    const pays = { from: user.address, to: a.vault, token: newUser().address, amount: 10_000_000n }
    const gets = { from: 'solver' as const, to: user.address, token: usd(1), amount: 1n }
    const onDemand = onDemandIntent([
      { chainId: a.chainId, tokenTransfers: [pays] },
      { chainId: b.chainId, tokenTransfers: [gets] },
    ])
    const call = { to: pays.token, value: 0n, data: transferData(a.vault, pays.amount) }
    const signed = await signedIntent(user, [{ chainId: a.chainId, tokenTransfers: [pays], calls: [call] }])
    for (const intents of [[onDemand], [signed]]) {
      const refused = await api.post('/actions', { user: user.address, chainAuthorizations: [], intents })
      expect(refused.status).to.equal(400)
      const [{ path, code }] = refused.body.issues
      expect([path, code, refused.body.issues.length]).to.deep.equal([
        '/intents/0/chainBatches/0/tokenTransfers/0/token',
        'token_unsupported',
        1,
      ])
    }
    const calling = onDemandIntent([
      { chainId: a.chainId, tokenTransfers: [], call },
      { chainId: b.chainId, tokenTransfers: [gets] },
    ])
    const signedCall = await signedIntent(user, [{ chainId: a.chainId, tokenTransfers: [], calls: [call] }])
    for (const [intent, place] of [
      [calling, 'call/to'],
      [signedCall, 'calls/0/to'],
    ] as const) {
      const refused = await api.post('/actions', { user: user.address, chainAuthorizations: [], intents: [intent] })
      expect(refused.status).to.equal(400)
      const issues = refused.body.issues as { path: string; code: string }[]
      expect(issues.map(({ path, code }) => [path, code])).to.deep.equal([
        [`/intents/0/chainBatches/0/${place}`, 'token_unsupported'],
      ])
    }
  })

  it('gains nothing by rounding between 6 and 18 decimals', async () => {
    const [, b] = chains()
    const { user, hash } = await payer()
    await report(user.address, hash)
    const dust = { from: 'solver' as const, to: user.address, token: usd(1), amount: 1n }
    const batch = { chainId: b.chainId, tokenTransfers: [dust], calls: [] }
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [],
      intents: [await signedIntent(user, [batch])],
    })
    expect((await api.execute(created.body.actionId, 0, 0)).body.status).to.equal('success')
    // One smallest unit of 18 decimals costs a whole one of 6.
    expect(await available(user.address)).to.equal('9999999')
  })

  it('can’t take the owner’s withdrawal twice, nor a payout for a withdrawal', async () => {
    const [a] = chains()
    const { user, hash } = await payer()
    await report(user.address, hash)
    const deployer = createDeployer(a.rpcUrls[0]!, devAccount(0))
    await deployer.call(a.vault, solverVaultAbi as Abi, 'withdraw', [usd(0), user.address, 4_000_000n])
    const [log] = await latestTransfers(a, user.address)
    const withdrawal = { sender: a.vault, amount: '4000000', isDeposit: false }
    expect((await report(user.address, log!, withdrawal)).status).to.equal(200)
    expect((await report(user.address, log!, withdrawal)).status).to.equal(200)
    expect(await available(user.address)).to.equal('6000000')
  })

  async function latestTransfers(chain: ReturnType<typeof chains>[0], to: Address): Promise<Hash[]> {
    const logs = await reader(chain).getContractEvents({
      address: usd(0),
      abi: devTokenAbi,
      eventName: 'Transfer',
      args: { from: chain.vault, to },
      fromBlock: 0n,
    })
    return logs.map((log) => log.transactionHash)
  }
})
