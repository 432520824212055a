import { expect } from 'chai'
import { type Address, createWalletClient, type Hash, http, parseUnits, zeroAddress } from 'viem'
import { encodeExecute } from '../../server/chain/contracts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { devAccount } from '../../server/devnet/accounts.js'
import type { SignedIntent } from '../../server/domain/action.js'
import { type ChainBatch, intentDigest } from '../../sdk/src/signing.js'
import { useTestService } from '../support/useTestService.js'
import { until } from '../support/until.js'
import {
  authorization,
  balanceOf,
  fund,
  newUser,
  reader,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'

/** Anyone may bring a signed batch to the user's account; the service takes what he did as done. */
describe('a batch that someone else has executed', () => {
  const stranger = devAccount(7)
  const { service, api } = useTestService()

  async function prepare(lifetimeSeconds = 3600, { isAuthorized = true } = {}) {
    const [chain] = service.chains
    const user = newUser()
    const usd = tokenOf(chain, 'usd').address
    await fund(chain, user.address, { usd: 9n })
    const batch: ChainBatch = {
      chainId: chain.chainId,
      tokenTransfers: [],
      calls: [{ to: usd, value: 0n, data: transferData(chain.vault, 9n) }],
    }
    const exp = Math.floor(Date.now() / 1000) + lifetimeSeconds
    const permission = await authorization(user, chain)
    const intent = await signedIntent(user, [batch], { exp })
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: isAuthorized ? [permission] : [],
      intents: [intent],
    })
    const { signatureType, signature, nbf } = intent
    const digest = intentDigest({ signatureType, nbf, exp, chainBatches: [batch] })
    const chainBatches = [{ ...batch, tokenTransfers: [], calls: [...batch.calls], hash: intent.chainBatches[0]!.hash }]
    const signed: SignedIntent = { mode: '7702', signatureType, signature, nbf, exp, digest, chainBatches }
    const send = (): Promise<Hash> =>
      createWalletClient({ account: stranger, transport: http(chain.rpcUrls[0]) }).sendTransaction({
        chain: null,
        to: user.address,
        data: encodeExecute(signed, 0),
        gas: 400_000n,
        maxFeePerGas: parseUnits('90', 9),
        maxPriorityFeePerGas: parseUnits('50', 9),
        authorizationList: [permission],
      })
    return { chain, user, usd, exp, send, actionId: created.body.actionId as string }
  }

  it('is success with his transaction, and what it brought is the user’s credit', async () => {
    const { chain, user, usd, send, actionId } = await prepare()
    const hash = await send()
    await minedReceipt(reader(chain), hash)
    const { body: step } = await api.execute(actionId, 0, 0)
    expect(step).to.include({ status: 'success', transactionHash: hash })
    expect(await balanceOf(chain, usd, user.address)).to.equal(0n)
    const { tokens } = (await api.get(`/coredeposit/${user.address}`)).body.data
    expect(tokens[0].available).to.equal('9')
  })

  /** Has the user's account, which borrows the delegate, borrow another one. The zero address: none any more. */
  async function redelegate({ chain, user }: Awaited<ReturnType<typeof prepare>>, to: Address): Promise<void> {
    const signed = await user.signAuthorization({ contractAddress: to, chainId: chain.chainId, nonce: 1 })
    const wallet = createWalletClient({ account: stranger, transport: http(chain.rpcUrls[0]) })
    const hash = await wallet.sendTransaction({ chain: null, to: zeroAddress, authorizationList: [signed] })
    await minedReceipt(reader(chain), hash)
  }

  const since: Record<string, () => Promise<Address>> = {
    'has taken his delegation back': async () => zeroAddress,
    'borrows another delegate, which knows of no batch': async () => {
      const foreign = newUser().address
      await rpc(service.chains[0].rpcUrls[0]!, 'anvil_setCode', [foreign, '0x5f5ffd'])
      return foreign
    },
  }
  for (const [what, foreign] of Object.entries(since)) {
    for (const isAuthorized of [true, false]) {
      it(`is success although the user ${what}, ${isAuthorized ? 'with' : 'without'} an authorization`, async () => {
        const prepared = await prepare(3600, { isAuthorized })
        const hash = await prepared.send()
        await minedReceipt(reader(prepared.chain), hash)
        await redelegate(prepared, await foreign())
        const { body: step } = await api.execute(prepared.actionId, 0, 0)
        expect(step.error).to.equal(null)
        expect(step).to.include({ status: 'success', transactionHash: hash })
        const { tokens } = (await api.get(`/coredeposit/${prepared.user.address}`)).body.data
        expect(tokens[0].available).to.equal('9')
      })
    }
  }

  /** With an intent that lasts just as long as this machine needs for it, so that it expires soon. */
  async function executedInTime(
    lifetimeSeconds: number,
  ): Promise<Awaited<ReturnType<typeof prepare>> & { hash: Hash }> {
    const prepared = await prepare(lifetimeSeconds)
    const hash = await prepared.send()
    const { blockHash } = await minedReceipt(reader(prepared.chain), hash)
    const { timestamp } = await reader(prepared.chain).getBlock({ blockHash })
    return timestamp > prepared.exp ? executedInTime(2 * lifetimeSeconds) : { ...prepared, hash }
  }

  it('is success although the intent has expired since', async function () {
    this.timeout(120_000)
    const { exp, hash, actionId } = await executedInTime(3)
    await until(() => Math.floor(Date.now() / 1000) > exp, 'the intent to expire', 60_000)
    const { body: step } = await api.execute(actionId, 0, 0)
    expect(step).to.include({ status: 'success', transactionHash: hash })
  })

  it('is waited for while his transaction waits for a block', async () => {
    const { chain, user, send, actionId } = await prepare()
    const url = chain.rpcUrls[0]!
    const step = `/actions/${actionId}/intents/0/steps/0`
    await rpc(url, 'evm_setAutomine', [false])
    try {
      const his = await send()
      const asked = await api.execute(actionId, 0, 0, undefined, 0)
      expect(asked.body.status).to.equal('executing')
      // Each look moves the time of the next one.
      const dueAts = new Set<number>()
      await until(async () => {
        const row = await service.database
          .knex('steps')
          .where({ action_id: actionId })
          .first<{ due_at: number }>('due_at')
        return dueAts.add(row!.due_at).size > 4
      }, 'some looks')
      expect((await api.get(step)).body).to.include({ status: 'executing', error: null })
      await rpc(url, 'evm_mine', [])
      const { body } = await until(async () => {
        const answer = await api.get(step)
        return answer.body.status === 'executing' ? null : answer
      }, 'the step')
      expect(body.error).to.equal(null)
      expect(body).to.include({ status: 'success', transactionHash: his })
      const { tokens } = (await api.get(`/coredeposit/${user.address}`)).body.data
      expect(tokens[0].available).to.equal('9')
    } finally {
      await rpc(url, 'evm_setAutomine', [true])
    }
  })

  it('is success with his transaction when ours was mined after it', async () => {
    const { chain, send, actionId } = await prepare()
    const url = chain.rpcUrls[0]!
    const step = `/actions/${actionId}/intents/0/steps/0`
    await rpc(url, 'evm_setAutomine', [false])
    try {
      await api.execute(actionId, 0, 0, undefined, 0)
      const ours = await until(
        async () => (await api.get(step)).body.transactionHash as string | null,
        'ours to be stored',
      )
      await until(() => rpc(url, 'eth_getTransactionByHash', [ours]), 'ours to be sent')
      await rpc(url, 'anvil_dropTransaction', [ours])
      const his = await send()
      await rpc(url, 'evm_mine', [])
      await rpc(url, 'evm_setAutomine', [true])
      const ended = await until(async () => {
        const { body } = await api.get(step)
        return body.status === 'executing' ? null : body
      }, 'the step')
      expect(ended.error).to.equal(null)
      expect(ended).to.include({ status: 'success', transactionHash: his })
      expect((await reader(chain).getTransactionReceipt({ hash: ours as Hash })).status).to.equal('reverted')
    } finally {
      await rpc(url, 'evm_setAutomine', [true])
    }
  })
})
