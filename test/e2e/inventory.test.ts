import { expect } from 'chai'
import { type Address, parseUnits, type PrivateKeyAccount } from 'viem'
import { devAccount } from '../../server/devnet/accounts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { lower } from '../chain/devChain.js'
import { changedChainsFile } from '../support/changedChainsFile.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { balanceOf, fund, sendFrom, tokenOf, transferData } from '../support/wallets.js'

const [owner, treasury, user] = [devAccount(0), devAccount(8), devAccount(9)]

describe('what the vault gets as inventory', () => {
  const { service, api } = useServiceOnChains((chain) => ({
    ...chain,
    vaultOwner: lower(owner.address),
    inventoryFrom: [lower(treasury.address)],
  }))
  const amount = parseUnits('10', 6)

  /**
   * Pays the vault on the first chain, and has a stranger ask for as much on the second one in
   * an action in the payer's name.
   */
  async function namedByStranger(payer: PrivateKeyAccount) {
    const [a, b] = service.chains
    const usd = tokenOf(a, 'usd').address
    await fund(a, payer.address, { usd: amount, native: parseUnits('1', 18) })
    const hash = await sendFrom(a, payer, { to: usd, data: transferData(a.vault, amount) })
    const pays = { from: payer.address, to: a.vault, token: usd, amount: `${amount}` }
    const gets = {
      from: 'solver',
      to: payer.address,
      token: tokenOf(b, 'usd').address,
      amount: `${parseUnits('10', 18)}`,
    }
    const call = { to: a.vault, value: '0', data: '0x' }
    const chainBatches = [
      { chainId: a.chainId, tokenTransfers: [pays], call },
      { chainId: b.chainId, tokenTransfers: [gets], call },
    ]
    const intents = [{ mode: 'non-7702:on-demand', chainBatches }]
    return { hash, created: await api.post('/actions', { user: payer.address, intents }) }
  }

  it('is nobody’s credit, and is paid back to nobody by a stranger’s action', async () => {
    const [a, b] = service.chains
    const token = { tokenAddress: tokenOf(a, 'usd').address, amount: `${amount}` }
    const message = 'user may not be the vault’s owner or another one from whom it gets its inventory'
    const issues = [{ path: '/user', message, code: 'user_not_allowed' }]
    const paidOut = (payer: PrivateKeyAccount) => balanceOf(b, tokenOf(b, 'usd').address, payer.address)
    for (const payer of [owner, treasury]) {
      const before = await paidOut(payer)
      const { hash, created } = await namedByStranger(payer)
      expect([created.status, created.body.issues]).to.deep.equal([400, issues])
      const report = { user: payer.address, sender: payer.address, txHash: hash, chainId: a.chainId, ...token }
      expect((await api.post('/coredeposit', report)).body.error.issues).to.deep.equal(issues)
      expect(await paidOut(payer)).to.equal(before)
    }
  })

  it('is told from what users pay', async () => {
    const { hash, created } = await namedByStranger(user)
    expect(created.status).to.equal(201)
    expect((await api.execute(created.body.actionId, 0, 0, { hash })).body.status).to.equal('success')
  })
})

describe('what the vault has got from who is named later, or is named no more', () => {
  const { start, api, a, b, usd, aUser, pay, create, service } = changedChainsFile()
  const named =
    (inventoryFrom: Address[]) =>
    (chains: ChainConfig[]): ChainConfig[] =>
      chains.map((chain) => ({ ...chain, inventoryFrom }))

  it('is not what a user who has credit has paid, who may not be named', async () => {
    await start()
    const payer = await aUser()
    const report = { user: payer.address, sender: payer.address, txHash: await pay(payer), chainId: a().chainId }
    expect((await api.post('/coredeposit', { ...report, tokenAddress: usd(), amount: '10000000' })).status).to.equal(
      200,
    )
    const refused = await start(named([lower(payer.address)])).catch((error: Error) => error.message)
    expect(refused).to.contain(`${payer.address}, whom chain`).and.to.contain('is a user who has credit')
  })

  it('is nobody’s credit either, though its action was posted before and nobody names the payer any more', async () => {
    await start()
    const payer = await aUser()
    const pays = { from: payer.address, to: a().vault, token: usd(), amount: '10000000' }
    const gets = {
      from: 'solver',
      to: payer.address,
      token: tokenOf(b(), 'usd').address,
      amount: `${parseUnits('10', 18)}`,
    }
    const call = { to: a().vault, value: '0', data: '0x' }
    const chainBatches = [
      { chainId: a().chainId, tokenTransfers: [pays], call },
      { chainId: b().chainId, tokenTransfers: [gets], call },
    ]
    const early = await create(payer, [{ mode: 'non-7702:on-demand', chainBatches }])
    await start(named([lower(payer.address)]))
    // It is not named any more, and known all the same.
    await start(named([]))
    const hash = await pay(payer)
    expect((await api.execute(early, 0, 0, { hash, action: 'register' })).body.status).to.equal('success')
    const refused = await api.execute(early, 0, 1)
    expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'insufficient_credit'])
    const report = { user: payer.address, sender: payer.address, txHash: hash, chainId: a().chainId }
    const reported = await api.post('/coredeposit', { ...report, tokenAddress: usd(), amount: '10000000' })
    expect(reported.body.error.issues[0].code).to.equal('user_not_allowed')
    expect(
      await service()
        .database.knex('credits')
        .where({ user: lower(payer.address) }),
    ).to.deep.equal([])
  })
})
