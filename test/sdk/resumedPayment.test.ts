import { expect } from 'chai'
import { type Address, createWalletClient, http, parseUnits, type TypedDataDefinition, zeroAddress } from 'viem'
import { createIntentClient } from '../../sdk/src/client.js'
import { IntentError, IntentTimeoutError, StepFailedError, UnregisteredPaymentError } from '../../sdk/src/errors.js'
import { type OnDemandOptions, sendOnDemand } from '../../sdk/src/sendOnDemand.js'
import type { Progress } from '../../sdk/src/progress.js'
import { rpc } from '../../server/devnet/anvil.js'
import { createApi } from '../support/api.js'
import { useTestService } from '../support/useTestService.js'
import { balanceOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

for (const proof of ['none', 'required'])
  describe(`an action with two payments that is sent again under its key, with ON_DEMAND_PROOF ${proof},`, () => {
    const { service } = useTestService({ ON_DEMAND_PROOF: proof })
    const amount = parseUnits('1', 6)
    const payout = parseUnits('2', 18)

    /** Each call of `send` is one of `sendOnDemand`; the first payment pays so much too little. */
    async function twoPayments({ short = 0n, stepTimeoutMs = 20_000 } = {}) {
      const [a, b] = service.chains
      const account = newUser()
      const usd = tokenOf(a, 'usd').address
      await fund(a, account.address, { usd: amount * 3n, native: parseUnits('1', 18) })
      const pays = { from: account.address, to: a.vault, token: usd, amount }
      const gets = { from: 'solver' as const, to: account.address, token: tokenOf(b, 'usd').address, amount: payout }
      const wallet = createWalletClient({ account, transport: http(a.rpcUrls[0]) })
      let payments = 0
      const pay = ({ to }: { to: Address }) => {
        const data = transferData(a.vault, ++payments === 1 ? amount - short : amount)
        return wallet.sendTransaction({ chain: null, to, data })
      }
      const send = (options: Partial<OnDemandOptions> = { stepTimeoutMs }) =>
        sendOnDemand(createIntentClient({ baseUrl: service.url }), {
          user: account.address,
          account,
          idempotencyKey: `key-${account.address}`,
          intents: [
            {
              chainBatches: [
                { chainId: a.chainId, tokenTransfers: [pays] },
                { chainId: a.chainId, tokenTransfers: [pays] },
                { chainId: b.chainId, tokenTransfers: [gets] },
              ],
            },
          ],
          pay,
          ...options,
        })
      return { a, b, account, usd, send, pay, payments: () => payments, token: gets.token }
    }

    it('pays nothing more behind a payment that did not fit', async () => {
      const { a, account, usd, send, payments } = await twoPayments({ short: 1n })
      for (let call = 0; call < 2; call++) {
        const error = await send().catch((reason: unknown) => reason)
        expect(error).to.be.instanceOf(StepFailedError)
        expect((error as StepFailedError).step.error?.code).to.equal('transaction_mismatch')
      }
      expect(payments()).to.equal(1)
      expect(await balanceOf(a, usd, account.address)).to.equal(amount * 2n + 1n)
    })

    it('is paid unsigned only where the service takes that', async () => {
      const { send, payments } = await twoPayments()
      const error = await send({ stepTimeoutMs: 20_000, account: undefined }).catch((reason: unknown) => reason)
      if (proof === 'none') expect(error).to.include({ status: 'success' })
      else expect((error as Error).message).to.contain("account can't sign")
      expect(payments()).to.equal(proof === 'none' ? 2 : 0)
    })

    it('is not paid again by a call that stood still while another one paid the rest', async () => {
      const { send, payments } = await twoPayments()
      let goOn = () => {}
      const wakes = new Promise<void>((resolve) => (goOn = resolve))
      const first = await new Promise<{ ended: Promise<unknown> }>((stands) => {
        const ended = send({
          stepTimeoutMs: 20_000,
          onProgress: async (progress) => {
            if (progress.type !== 'step' || progress.step.stepIndex !== 0 || progress.step.status !== 'success') return
            stands({ ended })
            await wakes
          },
        })
      })
      expect((await send()).status).to.equal('success')
      goOn()
      expect(await first.ended).to.include({ status: 'success' })
      expect(payments()).to.equal(2)
    })

    it('is taken from a stranger, who can’t sign, only where the service takes that', async () => {
      const { a, account, usd } = await twoPayments()
      const api = createApi(service.url)
      const batch = {
        chainId: a.chainId,
        tokenTransfers: [{ from: account.address, to: a.vault, token: usd, amount: amount.toString() }],
        call: { to: usd, value: '0', data: '0x' },
      }
      const intents = [{ mode: 'non-7702:on-demand', chainBatches: [batch] }]
      const { actionId } = (await api.post('/actions', { user: account.address, intents })).body
      const reply = await api.execute(actionId, 0, 0, { hash: `0x${'ab'.repeat(32)}` }, 0)
      const { status } = (await api.get(`/actions/${actionId}/intents/0/steps/0`)).body
      if (proof === 'none') expect([reply.status, status]).to.deep.equal([202, 'executing'])
      else {
        expect([reply.status, reply.body.error.code]).to.deep.equal([400, 'registration_signature_required'])
        expect(status).to.equal('created')
      }
    })

    it('is made for a batch of nothing by a bare transaction, and for one that no transaction can do nothing is paid', async () => {
      const { a, account, send, payments } = await twoPayments()
      const to = newUser().address
      const nothing = { chainId: a.chainId, tokenTransfers: [] }
      // Nor does a transaction to one pay another.
      const token = zeroAddress
      const native = { ...nothing, tokenTransfers: [{ from: account.address, to, token, amount: 5n }] }
      const calls = [
        { to: a.vault, value: 5n, data: '0x1234' as const },
        { to, value: 4n, data: '0x' as const },
      ]
      for (const batch of [nothing, ...calls.map((call) => ({ ...native, call }))]) {
        const error = await send({ intents: [{ chainBatches: [batch] }] }).catch((reason: unknown) => reason)
        expect((error as IntentError).message).to.equal('A step is one transaction: name a call for all.')
      }
      expect(payments()).to.equal(0)
      const paid: unknown[] = []
      const wallet = createWalletClient({ account, transport: http(a.rpcUrls[0]) })
      const bare = { ...nothing, call: { to, value: 0n, data: '0x' as const } }
      const done = await send({
        idempotencyKey: `bare-${account.address}`,
        intents: [{ chainBatches: [bare] }],
        pay: (payment) => {
          paid.push(payment)
          return wallet.sendTransaction({ ...payment, chain: null })
        },
      })
      expect(paid).to.deep.equal([{ ...bare.call, chainId: a.chainId }])
      expect(done.status).to.equal('success')
    })

    it('pays the steps of one action, where two calls under its key overlap', async () => {
      const { a, account, usd, send, payments } = await twoPayments()
      const actions = await Promise.all([send(), send()])
      expect(actions.map(({ status }) => status)).to.deep.equal(['success', 'success'])
      expect(new Set(actions.map(({ actionId }) => actionId)).size).to.equal(1)
      expect(payments()).to.equal(2)
      expect(await balanceOf(a, usd, account.address)).to.equal(amount)
    })

    it('is not paid again by a call that waits for one which could not register what it has paid', async () => {
      const { a, account, usd, send, payments } = await twoPayments()
      let second: Promise<{ status: string }> | undefined
      const first = send({
        onProgress: (progress) => {
          if (progress.type === 'created') second ??= send()
          if (progress.type === 'paid') throw new Error('The page is gone.')
        },
      })
      expect(await first.catch((reason: unknown) => reason)).to.be.instanceOf(UnregisteredPaymentError)
      expect(await second).to.include({ status: 'success' })
      expect(payments()).to.equal(2)
      expect(await balanceOf(a, usd, account.address)).to.equal(amount)
    })

    it('goes on under the random key that is told, after a payment that failed', async () => {
      const { a, account, usd, send, pay, payments } = await twoPayments()
      const keys: string[] = []
      const error = await send({
        idempotencyKey: undefined,
        onProgress: (progress) => progress.type === 'created' && keys.push(progress.idempotencyKey),
        pay: (payment) => {
          if (payments() === 1) throw new IntentError('The wallet is on another chain.')
          return pay(payment)
        },
      }).catch((reason: unknown) => reason)
      expect((error as Error).message).to.equal('The wallet is on another chain.')
      const { idempotencyKey, actionId } = error as IntentError
      expect(keys).to.deep.equal([idempotencyKey])
      expect(await send({ idempotencyKey: idempotencyKey! })).to.include({ status: 'success', actionId })
      expect(payments()).to.equal(2)
      expect(await balanceOf(a, usd, account.address)).to.equal(amount)
    })

    it('is not paid again by the call whose random key another one has gone on under', async () => {
      const { a, account, usd, send, payments } = await twoPayments()
      const url = a.rpcUrls[0]!
      let key = ''
      let second: Promise<unknown> | undefined
      const first = send({
        idempotencyKey: undefined,
        onProgress: async (progress) => {
          if (progress.type === 'created') key = progress.idempotencyKey
          if (progress.type !== 'step') return
          const { stepIndex, status } = progress.step
          if (stepIndex === 0 && status === 'success') {
            // The other payment is not mined before this call has seen it.
            await rpc(url, 'evm_setAutomine', [false])
            await new Promise<void>((isUnderWay) => {
              const onProgress = (other: Progress) =>
                other.type === 'step' && other.step.stepIndex === 1 && isUnderWay()
              second = send({ idempotencyKey: key, onProgress })
            })
          }
          if (stepIndex === 1 && status === 'executing') {
            await rpc(url, 'evm_setAutomine', [true])
            await rpc(url, 'evm_mine', [])
          }
        },
      })
      expect(await first).to.include({ status: 'success' })
      expect(await second).to.include({ status: 'success' })
      expect(payments()).to.equal(2)
      expect(await balanceOf(a, usd, account.address)).to.equal(amount)
    })

    it('is waited for whoever has named it, since an earlier call may have paid it', async () => {
      const { send, payments } = await twoPayments()
      const api = createApi(service.url)
      const error = await send({
        stepTimeoutMs: 1_500,
        onProgress: async (progress) => {
          if (progress.type !== 'step' || progress.step.stepIndex !== 0 || progress.step.status !== 'success') return
          await api.execute(progress.step.actionId, 0, 1, { hash: `0x${'ab'.repeat(32)}` }, 0)
        },
      }).catch((reason: unknown) => reason)
      if (proof === 'none') expect(error).to.be.instanceOf(IntentTimeoutError)
      else expect(error).to.include({ status: 'success' })
      expect(payments()).to.equal(proof === 'none' ? 1 : 2)
    })

    it('is signed for again once it has failed only where nobody else can have named it', async () => {
      const { a, account, usd, send, payments } = await twoPayments()
      const signed: string[] = []
      const signTypedData = ((typedData: TypedDataDefinition) => {
        signed.push((typedData.message as { hash: string }).hash)
        return account.signTypedData(typedData)
      }) as typeof account.signTypedData
      const other = newUser()
      await fund(a, other.address, { native: parseUnits('1', 18) })
      const others = createWalletClient({ account: other, transport: http(a.rpcUrls[0]) })
      const foreign = await others.sendTransaction({ chain: null, to: other.address })
      const api = createApi(service.url)
      let wasNamed = false
      const error = await send({
        stepTimeoutMs: 20_000,
        account: { ...account, signTypedData },
        onProgress: async (progress) => {
          if (progress.type !== 'step' || progress.step.stepIndex !== 0 || progress.step.status !== 'success') return
          if (wasNamed) return
          wasNamed = true
          const path = [progress.step.actionId, 0, 1] as const
          await api.execute(...path, { hash: foreign }, 20)
        },
      }).catch((reason: unknown) => reason)
      if (proof === 'required') {
        expect(error).to.include({ status: 'success' })
        expect([payments(), signed.length]).to.deep.equal([2, 2])
        return
      }
      expect((error as StepFailedError).step?.error?.code).to.equal('transaction_mismatch')
      expect([payments(), signed.length]).to.deep.equal([1, 1])
      expect(signed).not.to.include(foreign)
      expect(await balanceOf(a, usd, account.address)).to.equal(amount * 2n)
    })

    it('waits for a payment that is not mined yet, and then pays the other', async () => {
      const { a, b, account, usd, send, payments, token } = await twoPayments()
      const url = a.rpcUrls[0]!
      await rpc(url, 'evm_setAutomine', [false])
      try {
        for (let call = 0; call < 2; call++) {
          const error = await send({ stepTimeoutMs: 1_500 }).catch((reason: unknown) => reason)
          expect(error).to.be.instanceOf(IntentTimeoutError)
          expect((error as Error).message).to.match(/ within \d+ ms/)
        }
        expect(payments()).to.equal(1)
      } finally {
        await rpc(url, 'evm_setAutomine', [true])
        await rpc(url, 'evm_mine', [])
      }
      expect((await send()).status).to.equal('success')
      expect(payments()).to.equal(2)
      expect(await balanceOf(a, usd, account.address)).to.equal(amount)
      expect(await balanceOf(b, token, account.address)).to.equal(payout)
    })
  })
