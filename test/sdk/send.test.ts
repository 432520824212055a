import { expect } from 'chai'
import { encodeFunctionData, erc20Abi, parseUnits } from 'viem'
import { createIntentClient, type IntentClient } from '../../sdk/src/client.js'
import { IntentApiError, IntentError, StepFailedError } from '../../sdk/src/errors.js'
import type { Progress } from '../../sdk/src/progress.js'
import { signRegistration } from '../../sdk/src/sign.js'
import type { ChainBatch } from '../../sdk/src/signing.js'
import { useTestService } from '../support/useTestService.js'
import { balanceOf, fund, newUser, sendFrom, tokenOf, transferData } from '../support/wallets.js'

describe('the client with a running service', () => {
  const { service } = useTestService()
  let client: IntentClient

  before(() => {
    client = createIntentClient({ baseUrl: service.url })
  })

  const usd = (amount: string) => ({ a: parseUnits(amount, 6), b: parseUnits(amount, 18) })
  const tokens = () => service.chains.map((chain) => tokenOf(chain, 'usd').address) as [`0x${string}`, `0x${string}`]

  /** The user pays the vault on chain A; the solver pays the user on chain B, who passes it on to a friend. */
  function batchesOf(user: ReturnType<typeof newUser>, friend: `0x${string}`, amount: string): ChainBatch[] {
    const [a, b] = service.chains
    const [usdA, usdB] = tokens()
    const { a: pays, b: gets } = usd(amount)
    return [
      {
        chainId: a.chainId,
        tokenTransfers: [{ from: user.address, to: a.vault, token: usdA, amount: pays }],
        calls: [{ to: usdA, value: 0n, data: transferData(a.vault, pays) }],
      },
      {
        chainId: b.chainId,
        tokenTransfers: [{ from: 'solver', to: user.address, token: usdB, amount: gets }],
        calls: [{ to: usdB, value: 0n, data: transferData(friend, gets) }],
      },
    ]
  }

  it('sends a signed action across two chains, and tells of each step', async () => {
    const [a, b] = service.chains
    const user = newUser()
    const friend = newUser().address
    await fund(a, user.address, { usd: usd('30').a })
    const progress: Progress[] = []
    const action = await client.send({
      account: user,
      idempotencyKey: 'thirty',
      intents: [{ chainBatches: batchesOf(user, friend, '30') }],
      onProgress: (event) => progress.push(event),
    })
    expect(action.status).to.equal('success')
    expect(await balanceOf(b, tokens()[1], friend)).to.equal(usd('30').b)
    expect(action.intents[0]?.chainBatches[0]?.tokenTransfers[0]?.amount).to.equal(usd('30').a)
    expect((await client.getIntent(action.intents[0]!)).chainBatches[1]?.tokenTransfers[0]?.amount).to.equal(
      usd('30').b,
    )
    const found = await client.listActions({ transactionHash: action.intents[0]!.steps[0]!.transactionHash! })
    expect(found.actions).to.deep.equal([action])
    expect(progress.map((event) => event.type).slice(0, 3)).to.deep.equal(['prepared', 'signed', 'created'])
    expect(progress[2]).to.deep.equal({
      type: 'created',
      actionId: action.actionId,
      intentIds: [`${action.actionId}/0`],
      idempotencyKey: 'thirty',
    })
    const steps = progress.flatMap((event) => (event.type === 'step' ? [event.step] : []))
    expect(steps.filter((step) => step.status === 'success').map((step) => step.chainId)).to.deep.equal([
      a.chainId,
      b.chainId,
    ])
    expect(steps.filter((step) => step.status === 'success').every((step) => step.transactionHash)).to.equal(true)

    // The account is delegated now: no authorization is needed, and its use would fail.
    await fund(a, user.address, { usd: usd('5').a })
    const withoutAuthorizing = { ...user, signAuthorization: undefined } as unknown as typeof user
    for (const signatureType of ['ecdsa', 'eip712'] as const) {
      const half = batchesOf(user, user.address, '2.5')
      const next = await client.send({ account: withoutAuthorizing, intents: [{ chainBatches: half, signatureType }] })
      expect(next.status).to.equal('success')
    }
    expect(await balanceOf(b, tokens()[1], user.address)).to.equal(usd('5').b)
    expect(await balanceOf(a, tokens()[0], user.address)).to.equal(0n)
  })

  it('carries out each of several payments that say the same, one after the other and at once', async () => {
    const [a] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: usd('10').a })
    const [pays] = batchesOf(user, user.address, '2') as [ChainBatch]
    const send = () => client.send({ account: user, intents: [{ chainBatches: [pays] }] })
    const actions = [await send(), await send(), ...(await Promise.all([send(), send()]))]
    const twice = [{ chainBatches: [pays] }, { chainBatches: [pays] }]
    const prepared = await client.prepareAction({ account: user, intents: twice })
    expect(new Set(prepared.intents.map(({ digest }) => digest)).size).to.equal(2)
    expect(actions.map(({ status }) => status)).to.deep.equal(['success', 'success', 'success', 'success'])
    expect(new Set(actions.map(({ actionId }) => actionId)).size).to.equal(4)
    expect(await balanceOf(a, tokens()[0], user.address)).to.equal(usd('2').a)
    const all: string[] = []
    for await (const { actionId } of client.allActions({ user: user.address })) all.push(actionId)
    expect(all).to.have.members(actions.map(({ actionId }) => actionId))
  })

  it('creates one action for the same content and key', async () => {
    const [a] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: usd('3').a })
    const what = {
      account: user,
      intents: [{ chainBatches: batchesOf(user, user.address, '3'), exp: Math.floor(Date.now() / 1000) + 600 }],
      chainAuthorizations: [],
      idempotencyKey: `key-${user.address}`,
    }
    const ids: string[] = []
    const onProgress = (event: Progress) => void (event.type === 'created' && ids.push(event.actionId))
    const failures = [await client.send({ ...what, onProgress }).catch((e: unknown) => e)]
    failures.push(await client.send({ ...what, onProgress }).catch((e: unknown) => e))
    expect(ids).to.have.length(2)
    expect(new Set(ids).size).to.equal(1)
    for (const failure of failures) {
      expect(failure).to.be.instanceOf(StepFailedError)
      expect((failure as StepFailedError).step.error?.code).to.equal('authorization_missing')
    }
  })

  it('ends with the decoded revert of the step that failed', async () => {
    const [a] = service.chains
    const user = newUser()
    const error = await client
      .send({ account: user, intents: [{ chainBatches: batchesOf(user, user.address, '1') }] })
      .catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(StepFailedError)
    const { step } = error as StepFailedError
    expect(step).to.include({ status: 'reverted', chainId: a.chainId, stepIndex: 0, transactionHash: null })
    expect(step.error?.code).to.equal('execution_reverted')
    expect((error as StepFailedError).message).to.match(/balance/i)
  })

  it('signs nothing for a chain that the service does not know', async () => {
    const user = newUser()
    const [first] = batchesOf(user, user.address, '1') as [ChainBatch]
    const sign = () => Promise.reject(new Error('It has been signed.'))
    const error = await client
      .send({
        account: { ...user, signTypedData: sign, signAuthorization: sign } as unknown as typeof user,
        intents: [{ chainBatches: [{ ...first, chainId: 5 }] }],
      })
      .catch((reason: Error) => reason)
    expect(error).to.be.instanceOf(IntentError)
    expect((error as Error).message).to.contain('chain 5')
  })

  it('runs an on-demand action: the user pays by himself, the solver pays him', async () => {
    const [a, b] = service.chains
    const [usdA, usdB] = tokens()
    const user = newUser()
    await fund(a, user.address, { usd: usd('12').a, native: parseUnits('1', 18) })
    const nothing = { to: user.address, value: 0n, data: '0x' } as const
    const { actionId } = await client.createAction({
      user: user.address,
      intents: [
        {
          mode: 'non-7702:on-demand',
          chainBatches: [
            {
              chainId: a.chainId,
              tokenTransfers: [{ from: user.address, to: a.vault, token: usdA, amount: usd('12').a }],
              call: nothing,
            },
            {
              chainId: b.chainId,
              tokenTransfers: [{ from: 'solver', to: user.address, token: usdB, amount: usd('12').b }],
              call: nothing,
            },
          ],
        },
      ],
    })
    const step = { actionId, intentIndex: 0, stepIndex: 0 }
    const refused = await client.executeStep(step).catch((reason: unknown) => reason)
    expect(refused).to.be.instanceOf(IntentApiError)
    expect((refused as IntentApiError).code).to.equal('hash_required')

    const hash = await sendFrom(a, user, { to: usdA, data: transferData(a.vault, usd('12').a) })
    const signature = await signRegistration({ account: user, ...step, hash })
    const registered = await client.registerStep(step, { hash, signature })
    expect(registered).to.include({ status: 'success', transactionHash: hash })
    const action = await client.runAction(actionId)
    expect(action.status).to.equal('success')
    expect(await balanceOf(b, usdB, user.address)).to.equal(usd('12').b)
  })

  it('reads chains, health, balances and venue records, with amounts as bigint', async () => {
    const [a, b] = service.chains
    const chains = await client.getChains()
    expect(chains.map((chain) => chain.chainId)).to.deep.equal([a.chainId, b.chainId])
    expect(chains[0]?.tokens.find((token) => token.id === 'usd')?.airdrop?.amount).to.equal(usd('1000').a)
    const health = await client.getHealth()
    expect(health.status).to.equal('ok')
    expect(health.chains[1]?.solverBalance?.usd).to.be.a('bigint')
    expect(health.chains[0]?.lanes[0]?.balance).to.be.a('bigint')

    const user = newUser()
    const hash = await payVault(user, '7')
    const deposit = {
      user: user.address,
      txHash: hash,
      sender: user.address,
      tokenAddress: tokens()[0],
      chainId: a.chainId,
      amount: usd('7').a,
    }
    expect(await client.recordDeposit(deposit)).to.include({ status: 'recorded', custody: 'vault', amount: usd('7').a })
    expect(await client.getBalances(user.address)).to.have.length(1)
    expect((await client.getBalances(user.address))[0]).to.include({ amount: usd('7').a, available: usd('7').a })

    const airdrop = await client.requestAirdrop({
      chainId: b.chainId,
      tokenId: 'usd',
      wallet: user.address,
      amount: 9n,
    })
    expect(airdrop.amount).to.equal(9n)
    const record = { address: user.address, txHash: hash, actionType: 'deposit', venue: 'vault', chainId: a.chainId }
    await client.recordVenueTxHash(record)
    expect(await client.findVenueTxHashes({ address: user.address, actionTypes: ['deposit'], count: 5 })).to.deep.equal(
      [record],
    )
    expect(await client.verifyVenueTxHash(hash, { venue: 'vault' })).to.deep.equal(record)
    const missing = await client.verifyVenueTxHash(hash, { venue: 'other' }).catch((reason: unknown) => reason)
    expect(missing).to.include({ status: 404, code: 'not_found' })
    expect((await client.listActions({ user: user.address })).actions).to.deep.equal([])
  })

  async function payVault(user: ReturnType<typeof newUser>, amount: string) {
    const [a] = service.chains
    await fund(a, user.address, { usd: usd(amount).a, native: parseUnits('1', 18) })
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [a.vault, usd(amount).a] })
    return sendFrom(a, user, { to: tokens()[0], data })
  }
})
