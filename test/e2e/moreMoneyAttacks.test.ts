import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { type Abi, type Address, concatHex, encodeFunctionData, erc20Abi, type Hash, type Hex, parseUnits } from 'viem'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { compile } from '../../scripts/contracts.js'
import { intentDigest, registrationTypedData } from '../../sdk/src/signing.js'
import { encodeExecute } from '../../server/chain/contracts.js'
import { delegateAbi, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config.js'
import { rpc } from '../../server/devnet/anvil.js'
import { createDeployer } from '../../server/devnet/deployContracts.js'
import { devAccount } from '../../server/devnet/devnet.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createApi, type Api } from '../support/api.js'
import { freshMysqlUrl } from '../support/database.js'
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

type User = ReturnType<typeof newUser>

const native: Address = '0x0000000000000000000000000000000000000000'
const attackers = compile(join(import.meta.dirname, 'solidity'))
const codeOf = (name: string): Hex => `0x${attackers[name]!.evm.deployedBytecode.object}`
const initCodeOf = (name: string): Hex => `0x${attackers[name]!.evm.bytecode.object}`

describe('more attacks on the solver’s and other users’ money', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attacks-'))
  let mysql: Awaited<ReturnType<typeof freshMysqlUrl>> | null = null
  let service: Service
  let api: Api

  before(async () => {
    mysql = process.env.TEST_DATABASE === 'mysql' ? await freshMysqlUrl() : null
    const loaded = loadConfig({ DATA_DIR: folder, PORT: '0', ...(mysql && { DATABASE_URL: mysql.url }) })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    service = await startService(loaded.config, pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }))
    api = createApi(service.url!)
  })
  after(async () => {
    await service.stop()
    await mysql?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const a = (): ChainConfig => service.chains[0]!
  const b = (): ChainConfig => service.chains[1]!
  const usdA = () => tokenOf(a(), 'usd').address
  const usdB = () => tokenOf(b(), 'usd').address
  const ten = 10_000_000n
  const tenOnB = parseUnits('10', 18)

  async function aUser(usd = ten): Promise<User> {
    const user = newUser()
    await fund(a(), user.address, { usd, native: parseUnits('5', 18) })
    return user
  }

  const pay = (user: User, amount = ten) => sendFrom(a(), user, { to: usdA(), data: transferData(a().vault, amount) })

  async function payer(): Promise<{ user: User; hash: Hash }> {
    const user = await aUser()
    return { user, hash: await pay(user) }
  }

  function report(user: Address, txHash: string, more: object = {}) {
    const base = { user, sender: user, txHash, tokenAddress: usdA(), chainId: a().chainId, amount: ten.toString() }
    return api.post('/coredeposit', { ...base, ...more })
  }

  async function balance(user: Address, token: Address = usdA()) {
    const { tokens } = (await api.get(`/coredeposit/${user}`)).body.data
    return tokens.find((entry: any) => entry.chainId === a().chainId && entry.tokenAddress.toLowerCase() === token)
  }
  const available = async (user: Address, token?: Address): Promise<string> =>
    (await balance(user, token))?.available ?? '0'

  const payIn = (user: Address, amount = ten) => ({
    chainId: a().chainId,
    tokenTransfers: [{ from: user, to: a().vault, token: usdA(), amount }],
  })
  const payOut = (user: Address, amount = tenOnB) => ({
    chainId: b().chainId,
    tokenTransfers: [{ from: 'solver', to: user, token: usdB(), amount }],
  })

  async function create(user: Address, intents: object[], chainAuthorizations: object[] = []): Promise<string> {
    const reply = await api.post('/actions', { user, chainAuthorizations, intents })
    expect(reply.status, JSON.stringify(reply.body)).to.equal(201)
    return reply.body.actionId as string
  }

  /** The way out: everything that a credit is worth, paid to the user himself. */
  async function cashOut(user: User, amount = tenOnB, token = usdB()) {
    const transfer = { from: 'solver' as const, to: user.address, token, amount }
    const intent = await signedIntent(user, [{ chainId: b().chainId, tokenTransfers: [transfer], calls: [] }])
    return api.execute(await create(user.address, [intent]), 0, 0)
  }

  async function withdraw(token: Address, to: Address, amount: bigint): Promise<Hash> {
    const data = encodeFunctionData({
      abi: solverVaultAbi as Abi,
      functionName: 'withdraw',
      args: [token, to, amount],
    })
    return sendFrom(a(), devAccount(0), { to: a().vault, data })
  }

  const registration = (user: User, actionId: string, hash: Hash) =>
    user.signTypedData(registrationTypedData({ actionId, intentIndex: 0, stepIndex: 0, hash }))

  /** What each vault holds and the ledger does not explain, before the test: one attack that succeeds hides no other. */
  let unexplained: Map<string, bigint>

  async function readBooks(): Promise<Map<string, bigint>> {
    const { vaults, balanceFaults } = await compareVaults(service.database, service.chains)
    expect(balanceFaults).to.deep.equal([])
    return new Map(vaults.map((vault) => [`${vault.token.id} on ${vault.chainId}`, vault.unexplained]))
  }
  beforeEach(async () => {
    unexplained = await readBooks()
  })

  async function booksAreRight(): Promise<void> {
    expect(await readBooks()).to.deep.equal(unexplained)
  }

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
      await reader(a()).waitForTransactionReceipt({ hash: first })
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

  it('records no deposit of a transfer to oneself', async () => {
    const user = await aUser()
    const hash = await sendFrom(a(), user, { to: usdA(), data: transferData(user.address, ten) })
    const reply = await report(user.address, hash)
    expect(reply.status, JSON.stringify(reply.body)).to.equal(400)
    expect((await balance(user.address))?.amount ?? '0').to.equal('0')
  })

  it('answers an action that holds the same signed intent twice with its reason', async () => {
    const user = newUser()
    const transfer = { from: 'solver' as const, to: user.address, token: usdB(), amount: 1n }
    const intent = await signedIntent(user, [{ chainId: b().chainId, tokenTransfers: [transfer], calls: [] }])
    const body = { user: user.address, chainAuthorizations: [], intents: [intent, intent] }
    const reply = await api.post('/actions', body)
    expect(reply.status, JSON.stringify(reply.body)).to.equal(400)
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

  it('can’t be made to use up a victim’s airdrop by asking for a smallest unit of it', async () => {
    const wallet = newUser().address
    await api.post(`/airdrop/${a().chainId}/usd`, { wallet, amount: '1' })
    const own = await api.post(`/airdrop/${a().chainId}/usd`, { wallet })
    expect(own.status, JSON.stringify(own.body)).to.equal(200)
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
    const bodies: any[] = []
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
