import { expect } from 'chai'
import { createWalletClient, type Hash, http } from 'viem'
import { pino } from 'pino'
import { encodeExecute } from '../../server/chain/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'
import { nativeToken, type SignedIntent } from '../../server/domain/action.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { intentDigest } from '../../sdk/src/signing.js'
import { type FaultyNode, type JsonCall, startFaultyNode } from '../chain/faultyNode.js'
import { payingAction } from '../support/payingAction.js'
import { until } from '../support/until.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'
import { useServiceOnChains } from '../support/useTestService.js'
import {
  authorization,
  fund,
  newUser,
  onDemandIntent,
  reader,
  sendFrom,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

const receiptByHash = 'eth_getTransactionReceipt'

/**
 * As after a small reorganisation, which leaves some nodes with the blocks' receipts and
 * without the way to them by hash.
 */
describe('a node that has lost the receipt of a transaction', function () {
  this.timeout(60_000)
  const told: { msg: string; hash: Hash; others: number }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void told.push(JSON.parse(line) as (typeof told)[0]) })
  const { service, api, node } = useServiceBehindNode((chain) => ({ ...chain, confirmations: 3 }), {
    operators: 1,
    log,
  })
  const url = () => node().upstream!
  const mine = () => rpc(url(), 'evm_mine', [])
  const losing = (...methods: string[]) =>
    node().behave({ kind: 'change', change: ({ method }, result) => (methods.includes(method) ? null : result) })

  it('keeps it from being settled no longer than its block’s receipts are lost too, which the log says', async () => {
    const actionId = await payingAction(service.chains[0], url(), api)
    const step = async () => (await api.get(`/actions/${actionId}/intents/0/steps/0`)).body
    await api.execute(actionId, 0, 0, undefined, 0)
    const { knex } = service.database
    await until(() => knex('transactions').where({ status: 'open' }).whereNotNull('sent_at').first(), 'it to be sent')
    await mine()
    await until(async () => (await step()).confirmations === 1, 'it to be seen in a block')
    losing(receiptByHash, 'eth_getBlockReceipts')
    await mine()
    await mine()
    const warning = await until(() => told.find(({ msg }) => msg.startsWith('no node has the receipt')), 'a warning')
    const { status, transactionHash: hash } = await step()
    expect(status).to.equal('executing')
    expect(warning).to.include({ hash, others: 0 })
    losing(receiptByHash)
    await until(async () => (await step()).status === 'success', 'it to be settled')
  })
})

/**
 * It comes first and answers as if there were nothing of the kind, instead of with an error; the other one keeps all.
 */
describe('a node that keeps no old logs, receipts and transactions, before one that does', function () {
  this.timeout(60_000)
  const nodes = new Map<number, FaultyNode>()
  const { service, api } = useServiceOnChains(async (chain) => {
    const node = await startFaultyNode(chain.rpcUrls[0])
    nodes.set(chain.chainId, node)
    return { ...chain, rpcUrls: [node.url, chain.rpcUrls[0]!] }
  })
  // One that is found out is asked last for a while, so that what comes after that takes the other chain.
  let chain: ChainConfig
  const whole = () => ({ ...chain, rpcUrls: chain.rpcUrls.slice(1) })
  const keepsNone = (...methods: string[]) => {
    const none = ({ method }: JsonCall, result: unknown) =>
      !methods.includes(method) ? result : method === 'eth_getLogs' ? [] : null
    nodes.get(chain.chainId)!.behave({ kind: 'change', change: none })
  }
  beforeEach(() => {
    chain = service.chains[0]
  })
  afterEach(() => keepsNone())
  after(() => Promise.all([...nodes.values()].map((one) => one.stop())))

  it('keeps no deposit from being found that it names a block of', async () => {
    const [user, friend] = [newUser(), newUser().address]
    await fund(whole(), user.address, { native: 10n ** 18n })
    const txHash = await sendFrom(whole(), user, { to: friend, value: 3n })
    keepsNone(receiptByHash)
    const place = { user: friend, sender: user.address, tokenAddress: nativeToken, chainId: chain.chainId }
    expect((await api.post('/coredeposit', { ...place, txHash, amount: '3' })).status).to.equal(200)
  })

  it('keeps no payment and no deposit from being found before they are given up', async () => {
    const user = newUser()
    const usd = tokenOf(chain, 'usd').address
    await fund(whole(), user.address, { usd: 9n, native: 10n ** 18n })
    const hash = await sendFrom(whole(), user, { to: usd, data: transferData(chain.vault, 9n) })
    const friend = newUser().address
    const txHash = await sendFrom(whole(), user, { to: friend, value: 3n })
    const payment = { from: user.address, to: chain.vault, token: usd, amount: 9n }
    const intents = [onDemandIntent([{ chainId: chain.chainId, tokenTransfers: [payment] }])]
    const { actionId } = (await api.post('/actions', { user: user.address, intents })).body
    keepsNone(receiptByHash, 'eth_getTransactionByHash')
    await api.execute(actionId, 0, 0, { action: 'register', hash }, 0)
    const place = { user: friend, sender: user.address, tokenAddress: nativeToken, chainId: chain.chainId }
    await api.post('/coredeposit', { ...place, txHash, amount: '3' }, { prefer: 'wait=0' })
    const { knex } = service.database
    for (const table of ['steps', 'deposits']) {
      const unseen = () => knex(table).where('unseen_ms', '>', 0)
      await until(() => unseen().first(), `one of ${table} to have been looked for in vain`)
      await unseen().update({ unseen_ms: 10 * 60_000, due_at: 0 })
    }
    const step = async () => (await api.get(`/actions/${actionId}/intents/0/steps/0`)).body
    await until(async () => (await step()).status !== 'executing', 'the payment to be judged')
    expect(await step()).to.include({ status: 'success', transactionHash: hash })
    const deposit = () => knex('deposits').where({ transaction_hash: txHash }).first('status')
    await until(async () => (await deposit()).status !== 'pending', 'the deposit to be judged')
    expect(await deposit()).to.include({ status: 'recorded' })
  })

  /** In a block before the intent runs out; with one that lasts longer where this one was too short for that. */
  async function executedByStranger(lifetimeSeconds: number): Promise<{ actionId: string; hash: Hash; exp: number }> {
    const user = newUser()
    const usd = tokenOf(chain, 'usd').address
    await fund(whole(), user.address, { usd: 9n })
    const { chainId, vault } = chain
    const batch = { chainId, tokenTransfers: [], calls: [{ to: usd, value: 0n, data: transferData(vault, 9n) }] }
    const permission = await authorization(user, whole())
    const intent = await signedIntent(user, [batch], { exp: Math.floor(Date.now() / 1000) + lifetimeSeconds })
    const action = { user: user.address, chainAuthorizations: [permission], intents: [intent] }
    const { actionId } = (await api.post('/actions', action)).body
    const { signatureType, signature, nbf, exp } = intent
    const digest = intentDigest({ signatureType, nbf, exp, chainBatches: [batch] })
    const chainBatches = [{ ...batch, hash: intent.chainBatches[0]!.hash }]
    const signed: SignedIntent = { mode: '7702', signatureType, signature, nbf, exp, digest, chainBatches }
    const stranger = createWalletClient({ account: devAccount(7), transport: http(whole().rpcUrls[0]) })
    const hash = await stranger.sendTransaction({
      chain: null,
      to: user.address,
      data: encodeExecute(signed, 0),
      gas: 400_000n,
      authorizationList: [permission],
    })
    const { blockHash } = await minedReceipt(reader(whole()), hash)
    const { timestamp } = await reader(whole()).getBlock({ blockHash })
    return timestamp > exp ? executedByStranger(2 * lifetimeSeconds) : { actionId, hash, exp }
  }

  it('keeps no batch that somebody else has run from being taken for done', async () => {
    const { actionId, hash } = await executedByStranger(3_600)
    keepsNone('eth_getLogs', receiptByHash, 'eth_getTransactionByHash')
    const { body: step } = await api.execute(actionId, 0, 0)
    expect(step.error).to.equal(null)
    expect(step).to.include({ status: 'success', transactionHash: hash })
  })

  it('keeps none from that either whose intent has run out since', async () => {
    chain = service.chains[1]
    const { actionId, hash, exp } = await executedByStranger(3)
    await until(() => Math.floor(Date.now() / 1000) > exp, 'the intent to expire', 60_000)
    keepsNone('eth_getLogs')
    const { body: step } = await api.execute(actionId, 0, 0)
    expect(step.error).to.equal(null)
    expect(step).to.include({ status: 'success', transactionHash: hash })
  }).timeout(120_000)
})
