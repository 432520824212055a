import { expect } from 'chai'
import { pino } from 'pino'
import type { Hash, PrivateKeyAccount } from 'viem'
import { diagnose } from '../../scripts/doctor/diagnose.js'
import { rpc } from '../../server/devnet/anvil.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { changedChainsFile, ten } from '../support/changedChainsFile.js'
import { availableOf } from '../support/credit.js'
import { until } from '../support/until.js'
import { authorization, balanceOf, onDemandIntent, signedIntent, tokenOf, transferData } from '../support/wallets.js'

describe('what the chains file drops', function () {
  this.timeout(60_000)
  const scene = changedChainsFile()
  const { start, stop, env, api, a, b, usd, aUser, pay, create, without, mine } = scene
  /** The dollar of a chain. */
  const withoutOf = (id: number) => (chains: ChainConfig[]) =>
    chains.map((chain) =>
      chain.chainId === id ? { ...chain, tokens: chain.tokens.filter((token) => token.id !== 'usd') } : chain,
    )
  const withoutB = (chains: ChainConfig[]) => chains.filter(({ chainId }) => chainId !== b().chainId)

  const payIn = (user: PrivateKeyAccount) => ({
    chainId: a().chainId,
    tokenTransfers: [{ from: user.address, to: a().vault, token: usd(), amount: ten }],
  })
  const payOutOnB = (user: PrivateKeyAccount) => ({
    chainId: b().chainId,
    tokenTransfers: [
      { from: 'solver' as const, to: user.address, token: tokenOf(b(), 'usd').address, amount: 10n ** 19n },
    ],
  })
  const statusOf = async (actionId: string, step: number) =>
    (await api.get(`/actions/${actionId}/intents/0/steps/${step}`)).body.status as string

  async function pendingOnA(): Promise<Hash[]> {
    const block = await rpc(a().rpcUrls[0]!, 'eth_getBlockByNumber', ['pending', false])
    return (block as { transactions: Hash[] }).transactions
  }

  async function refusal(change: Parameters<typeof start>[0]): Promise<string> {
    const error = await start(change).catch((failure: Error) => failure)
    expect(error).to.include({ name: 'ConfigurationRefused' })
    return (error as Error).message
  }

  async function foundBy(change: Parameters<typeof env>[0]) {
    await stop()
    const findings = await diagnose(env(change))
    return findings.filter(({ where }) => where === 'chains file').map(({ level, name }) => `${level} ${name}`)
  }

  it('is no token that is being paid', async () => {
    await start()
    const user = await aUser()
    const actionId = await create(user, [onDemandIntent([payIn(user)])])
    // Registered before it is sent.
    await mine(a(), false)
    const sent = pay(user)
    const { knex } = scene.service().database
    const hash = await until(async () => (await pendingOnA())[0], 'the payment to be pending')
    await api.execute(actionId, 0, 0, { hash }, 0)
    expect(await knex('steps').where({ status: 'executing' })).to.have.length(1)
    expect(await refusal(without('usd'))).to.match(
      /^CHAINS_FILE: the token 0x\w+ of chain \d+ is named no more, with 1 steps/,
    )
    expect(await foundBy(without('usd'))).to.deep.equal(['fault token.dropped'])
    await start()
    await mine(a(), true)
    await sent
    await until(async () => (await statusOf(actionId, 0)) === 'success', 'the payment to count', 20_000)
    expect(await availableOf(api, user.address)).to.equal(ten.toString())
  })

  it('may be a token of which users have credit, and that is told until it is back', async () => {
    await start()
    const user = await aUser()
    const report = { user: user.address, sender: user.address, tokenAddress: usd(), chainId: a().chainId }
    const reported = await api.post('/coredeposit', { ...report, txHash: await pay(user), amount: ten.toString() })
    expect(reported.status).to.equal(200)
    const balance = () => scene.service().database.knex('balances').where({ user: user.address.toLowerCase() })
    expect(await foundBy(without('usd'))).to.deep.equal(['warning token.dropped', 'warning credit.unconfigured'])

    for (const told of [1, 0]) {
      const lines: string[] = []
      const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
      await start(without('usd'), log)
      expect(lines.filter((line) => line.includes('it is forgotten'))).to.have.length(told)
      const { findings } = (await api.get('/health')).body.data as { findings: { code: string; message: string }[] }
      const [finding] = findings.filter(({ code }) => code === 'credit_unconfigured')
      expect(finding!.message).to.match(/^1 users have a credit of 10000000 in the token 0x/)
      // His too: it is set aside for a payout on another chain.
      await balance().update({ available: '0', reserved: ten.toString() })
    }
    await balance().update({ available: ten.toString(), reserved: '0' })
    expect(await foundBy(without('usd'))).to.deep.equal(['warning credit.unconfigured'])

    await start()
    const { findings } = (await api.get('/health')).body.data as { findings: { code: string }[] }
    expect(findings.map(({ code }) => code)).not.to.include('credit_unconfigured')
    expect(await availableOf(api, user.address)).to.equal(ten.toString())
    expect(await foundBy((chains) => chains)).to.deep.equal([])
  })

  it('is no chain that something is paid out on, or is about to be', async () => {
    await start()
    const user = await aUser()
    const actionId = await create(user, [onDemandIntent([payIn(user), payOutOnB(user)])])
    await mine(b(), false)
    await api.execute(actionId, 0, 0, { hash: await pay(user) })
    await until(async () => (await statusOf(actionId, 1)) === 'executing', 'the payout to be under way')
    expect(await refusal(withoutB)).to.contain(`chain ${b().chainId} is named no more, with `)
    expect(await foundBy(withoutB)).to.deep.equal(['fault chain.dropped'])
    await start()
    await mine(b(), true)
    await until(async () => (await statusOf(actionId, 1)) === 'success', 'the payout', 20_000)

    // One that only a payment on the other chain leads to.
    const other = await aUser()
    const next = await create(other, [onDemandIntent([payIn(other), payOutOnB(other)])])
    await api.execute(next, 0, 0, { hash: `0x${'77'.repeat(32)}` }, 0)
    expect(await refusal(withoutB)).to.contain('and 1 steps on other chains that steps on it follow')
    expect(await refusal(withoutOf(a().chainId)), 'the dollar that was paid').to.contain('named no more')
    const withoutToken = withoutOf(b().chainId)
    expect(await refusal(withoutToken)).to.match(
      /the token 0x\w+ of chain \d+ is named no more, with .* and 1 steps on other/,
    )
  })

  it('is no chain of which a lane is ahead of the journal, for which nothing is paid until it is resumed', async () => {
    await start()
    const lanes = () => scene.service().database.knex('lanes').where({ chain_id: b().chainId })
    const { signer } = await until(() => lanes().first<{ signer: string } | undefined>(), 'the lanes to be open')
    await lanes().where({ signer }).update({ status: 'ahead' })
    expect(await refusal(withoutB)).to.contain('and 1 lanes that it is ahead of')
    await start()
    await lanes().where({ signer }).update({ status: 'active' })
    await start(withoutB)
  })

  it('is looked at before a user pays for what needs it', async () => {
    await start()
    const user = await aUser()
    const { chainId } = a()
    const paid = {
      ...payIn(user),
      tokenTransfers: [{ from: user.address, to: a().vault, token: usd(), amount: ten }],
      calls: [{ to: usd(), value: 0n, data: transferData(a().vault, ten) }],
    }
    const out = { from: 'solver' as const, to: user.address, token: tokenOf(a(), 'weth').address, amount: 1n }
    const ways = [
      [paid, { ...payOutOnB(user), calls: [] }],
      [paid, { chainId, tokenTransfers: [out], calls: [] }],
      [paid],
    ]
    const actions: string[] = []
    for (const [index, batches] of ways.entries()) {
      const intent = await signedIntent(user, batches, { exp: Math.floor(Date.now() / 1000) + 3_600 + index })
      actions.push(await create(user, [intent], [await authorization(user, a())]))
    }
    const ask = async (index: number) => {
      const { status, body } = await api.execute(actions[index]!, 0, 0)
      return `${status} ${(body as { error: { code: string } }).error.code}`
    }
    await start(withoutB)
    expect(await ask(0)).to.equal('400 chain_unsupported')
    await start(without('weth'))
    expect(await ask(1)).to.equal('400 token_unsupported')
    await start(without('usd'))
    expect(await ask(2)).to.equal('400 token_unsupported')
    expect(await balanceOf(a(), usd(), user.address), 'nothing has moved').to.equal(ten)
    await start()
    expect((await api.execute(actions[0]!, 0, 0)).body).to.include({ status: 'success' })
  })
})
