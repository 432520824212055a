import { expect } from 'chai'
import { getAddress, parseUnits } from 'viem'
import { createStore } from '../../server/store/store.js'
import { rethrow } from '../support/rethrow.js'
import { useWatchedService } from '../support/useTestService.js'
import { until } from '../support/until.js'
import {
  actionOf,
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

describe('the other endpoints', () => {
  const { service, api, queries } = useWatchedService()

  const usdA = () => tokenOf(service.chains[0], 'usd').address
  const usdB = () => tokenOf(service.chains[1], 'usd').address

  describe('the legacy pair', () => {
    it('carries out a signed transaction and tells its status by every name', async () => {
      const [a] = service.chains
      const user = newUser()
      const friend = newUser().address
      await fund(a, user.address, { usd: 3_000_000n })
      const intent = await signedIntent(
        user,
        [
          {
            chainId: a.chainId,
            tokenTransfers: [],
            calls: [{ to: usdA(), value: 0n, data: transferData(friend, 3_000_000n) }],
          },
        ],
        { signatureType: 'ecdsa', nbf: 0, exp: Number.MAX_SAFE_INTEGER },
      )
      const submitted = await api.post('/transaction/submit', {
        address: user.address,
        authorization: [{ ...(await authorization(user, a)), chainId: String(a.chainId) }],
        intentAuthorization: {
          signature: intent.signature,
          chainBatches: intent.chainBatches.map(({ hash, calls }) => ({ hash, calls, chainId: String(a.chainId) })),
        },
      })
      expect(submitted.status, JSON.stringify(submitted.body)).to.equal(200)
      expect(submitted.headers.get('deprecation')).to.match(/^@\d+$/)
      expect(submitted.headers.get('link')).to.contain('rel="successor-version"')
      const { intentId, actionId } = submitted.body.data
      expect(intentId).not.to.contain('/')
      const statusOf = async (id: string) => (await api.get(`/intent/${id}/step/0/status`)).body.data?.status
      await until(async () => (await statusOf(intentId)) === 'success', 'the legacy step')
      for (const id of [actionId, encodeURIComponent(`${actionId}/0`), intent.signature]) {
        expect(await statusOf(id), id).to.equal('success')
      }
      expect(await balanceOf(a, usdA(), friend)).to.equal(3_000_000n)
    })

    it('ends every step where the first one fails, when it is sent again as well', async () => {
      const [a] = service.chains
      const user = newUser()
      const calls = [{ to: usdA(), value: 0n, data: transferData(newUser().address, 1n) }]
      const batch = { chainId: a.chainId, tokenTransfers: [], calls }
      const window = { signatureType: 'ecdsa', nbf: 0, exp: Number.MAX_SAFE_INTEGER } as const
      const intent = await signedIntent(user, [batch, batch, batch, batch], window)
      const submitted = {
        address: user.address,
        authorization: [await authorization(user, a)],
        intentAuthorization: {
          signature: intent.signature,
          chainBatches: intent.chainBatches.map(({ hash, calls }) => ({ hash, calls, chainId: a.chainId })),
        },
      }
      for (const _time of ['first', 'again']) {
        const { status, body } = await api.post('/transaction/submit', submitted)
        expect(status, JSON.stringify(body)).to.equal(200)
        const stepsOf = async () =>
          Promise.all([0, 1, 2, 3].map((step) => api.get(`/intent/${body.data.intentId}/step/${step}/status`)))
        const words = async () => (await stepsOf()).map((reply) => reply.body.data.status as string)
        const isOver = async () => (await words()).every((word) => word === 'reverted' || word === 'error')
        await until(isOver, 'an end of every step')
        expect(await words()).to.deep.equal(['reverted', 'error', 'error', 'error'])
      }
    })

    it('says that it is deprecated where it refuses, too', async () => {
      const refused = [
        await api.get('/intent/nonsense/step/0/status'),
        await api.get('/intent/nonsense/step/first/status'),
        await api.post('/transaction/submit', {}),
      ]
      expect(refused.map(({ status }) => status)).to.deep.equal([404, 400, 400])
      for (const { headers } of refused) {
        expect(headers.get('deprecation')).to.match(/^@\d+$/)
        expect(headers.get('link')).to.equal('</actions>; rel="successor-version"')
      }
      expect((await api.get('/actions/nonsense')).headers.has('deprecation')).to.equal(false)
    })
  })

  describe('the list and the events of actions', () => {
    it('pages newest first and filters by user and status', async () => {
      const [a] = service.chains
      const user = newUser()
      const ids: string[] = []
      for (let index = 0; index < 5; index++) {
        const call = { to: user.address, value: 0n, data: '0x' as const }
        const batch = { chainId: a.chainId, tokenTransfers: [], calls: [call] }
        const created = await api.post('/actions', {
          user: user.address,
          chainAuthorizations: [],
          intents: [await signedIntent(user, [batch], { nbf: index })],
        })
        ids.unshift(created.body.actionId)
      }
      const first = await api.get(`/actions?user=${user.address}&limit=3`)
      const second = await api.get(`/actions?user=${user.address}&limit=3&cursor=${first.body.nextCursor}`)
      const listed = [...first.body.actions, ...second.body.actions].map(
        (action: { actionId: string }) => action.actionId,
      )
      expect(listed).to.deep.equal(ids)
      expect(second.body.nextCursor).to.equal(null)
      expect((await api.get(`/actions?user=${user.address}&status=success`)).body.actions).to.deep.equal([])
      expect((await api.get('/actions?cursor=nonsense')).status).to.equal(400)
    })

    it('finds an action by a transaction that carries a step, in any letter case, and tells what it moves', async () => {
      const [a, b] = service.chains
      const { user, hash } = await paidOnDemand()
      const upper = `0x${hash.slice(2).toUpperCase()}`
      const [action, ...others] = (await api.get(`/actions?transactionHash=${upper}`)).body.actions
      expect(others).to.deep.equal([])
      expect(action.user).to.equal(user.address)
      const [pays, gets] = action.intents[0].chainBatches
      expect(pays).to.deep.equal({
        chainId: a.chainId,
        tokenTransfers: [{ from: user.address, to: getAddress(a.vault), token: getAddress(usdA()), amount: '2000000' }],
      })
      expect(gets.chainId).to.equal(b.chainId)
      expect(gets.tokenTransfers[0]).to.include({
        from: 'solver',
        to: user.address,
        amount: (2n * 10n ** 18n).toString(),
      })
      const payout = action.intents[0].steps[1].transactionHash
      expect((await api.get(`/actions?transactionHash=${payout}`)).body.actions[0].actionId).to.equal(action.actionId)
      expect((await api.get(`/actions?transactionHash=${hash}&status=created`)).body.actions).to.deep.equal([])
      expect((await api.get(`/actions?transactionHash=0x${'7'.repeat(64)}`)).body.actions).to.deep.equal([])
      expect((await api.get('/actions?transactionHash=0x7')).status).to.equal(400)
    })

    /** A finished on-demand action: 2 USD paid on A by the transaction `hash`, 2 USD got on B. */
    async function paidOnDemand() {
      const [a, b] = service.chains
      const user = newUser()
      await fund(a, user.address, { usd: 2_000_000n, native: parseUnits('1', 18) })
      const pays = { from: user.address, to: a.vault, token: usdA(), amount: 2_000_000n }
      const gets = { from: 'solver', to: user.address, token: usdB(), amount: 2n * 10n ** 18n }
      const created = await api.post('/actions', {
        user: user.address,
        intents: [
          onDemandIntent([
            { chainId: a.chainId, tokenTransfers: [pays] },
            { chainId: b.chainId, tokenTransfers: [gets] },
          ]),
        ],
      })
      const { actionId } = created.body
      const hash = await sendFrom(a, user, { to: usdA(), data: transferData(a.vault, 2_000_000n) })
      expect((await api.execute(actionId, 0, 0, { action: 'execute', hash })).body.status).to.equal('success')
      expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')
      return { user, hash }
    }

    it('streams every change once, in order, and resumes after the last one seen', async () => {
      const [a] = service.chains
      const user = newUser()
      await fund(a, user.address, { usd: 1n })
      const call = { to: usdA(), value: 0n, data: transferData(a.vault, 1n) }
      const created = await api.post('/actions', await actionOf(user, a, [call]))
      const { actionId } = created.body
      const stream = fetch(`${service.url}/actions/${actionId}/events`).then((response) => response.text())
      await api.execute(actionId, 0, 0)
      const text = await stream
      const sequence = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
      expect(sequence).to.deep.equal(sequence.map((_, index) => index + 1))
      expect(text).to.contain('"status":"success"')
      const rest = await fetch(`${service.url}/actions/${actionId}/events`, { headers: { 'last-event-id': '1' } })
      expect([...(await rest.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).to.deep.equal(
        sequence.slice(1),
      )
      const none = await fetch(`${service.url}/actions/${actionId}/events`, {
        headers: { 'last-event-id': String(sequence.length) },
      })
      expect(none.status).to.equal(204)
      const beyond = await fetch(`${service.url}/actions/${actionId}/events`, {
        headers: { 'last-event-id': String(sequence.length + 1) },
      })
      expect(await beyond.text()).to.equal(text)
      const malformed = await fetch(`${service.url}/actions/${actionId}/events`, { headers: { 'last-event-id': '01' } })
      const { error } = (await malformed.json()) as { error: { message: string } }
      expect(error.message).to.equal('last-event-id must be a whole number in decimal digits, without leading zeros')
    })
  })

  it('gives the user’s payment back by a signed intent without calls, delegation or gas', async () => {
    const [a] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: 4_000_000n })
    const pay = { to: usdA(), value: 0n, data: transferData(a.vault, 4_000_000n) }
    const fail = { to: usdA(), value: 0n, data: transferData(a.vault, 10n ** 30n) }
    const batches = [pay, fail].map((call) => ({ chainId: a.chainId, tokenTransfers: [], calls: [call] }))
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [await authorization(user, a)],
      intents: [await signedIntent(user, batches)],
    })
    const { actionId } = created.body
    expect((await api.execute(actionId, 0, 0)).body.status).to.equal('success')
    const failed = await api.execute(actionId, 0, 1)
    expect(failed.body.status).to.equal('reverted')
    expect(failed.body.error).to.include({ code: 'execution_reverted' })
    expect(failed.body.error.message).to.contain('ERC20InsufficientBalance')

    const back = { from: 'solver' as const, to: user.address, token: usdA(), amount: 4_000_000n }
    const refund = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [],
      intents: [await signedIntent(user, [{ chainId: a.chainId, tokenTransfers: [back], calls: [] }])],
    })
    expect((await api.execute(refund.body.actionId, 0, 0)).body.status).to.equal('success')
    expect(await balanceOf(a, usdA(), user.address)).to.equal(4_000_000n)
    expect(await reader(a).getBalance({ address: user.address })).to.equal(0n)
  })

  // Last, since it is about all of the above and what they don't ask for.
  describe('the database', () => {
    it('is asked for nothing that reads a whole table', async function () {
      // MariaDB's plans depend on how much there is; `npm run bench` measures it with a million actions.
      if (service.database.kind === 'mysql') return
      this.timeout(20_000)
      const [a] = service.chains
      const [user, hash] = [newUser().address, `0x${'7'.repeat(64)}` as const]
      const cursor = Buffer.from('ffffffff-ffff-7fff-bfff-ffffffffffff').toString('base64url')
      const venue = { address: user, txHash: hash, actionType: 'trade', venue: 'somewhere', chainId: a.chainId }
      await api.post('/venue-tx-hashes', venue)
      for (const query of ['', '&venue=somewhere', '&actionTypes=trade', '&venue=somewhere&actionTypes=trade,deposit'])
        await api.get(`/venue-tx-hashes?address=${user}${query}`)
      await api.get(`/venue-tx-hashes/verify/${hash}`)
      const filters = [`user=${user}`, 'status=created', `transactionHash=${hash}`, `cursor=${cursor}`]
      for (const query of [...subsetsOf(filters).map((subset) => subset.join('&')), 'limit=1'])
        expect((await api.get(`/actions?${query}`)).status).to.equal(200)
      for (const path of ['/health', '/readyz', '/chains']) await api.get(path)
      const store = createStore(service.database)
      const [signer, now] = [newUser().address, Date.now()]
      await store.readSettledBlocks(a.chainId, { from: 1, to: Number.MAX_SAFE_INTEGER }, 100)
      await store.undoBlock(a.chainId, { number: 10 ** 9, hash }, now, rethrow)
      await store.readUsedUp({ chainId: a.chainId, signer, chainNonce: 1 })
      await store.lowestUnminedNonce(a.chainId, signer)
      await store.unminedNonces(a.chainId, signer, 65)
      await store.readUnmined({ chainId: a.chainId, signer, nonce: 1 })
      await store.sweep(now)
      expect(queries().count()).to.be.greaterThan(80)
      expect(await queries().scans()).to.deep.equal([])
    })
  })
})

/** Every choice of them, none and all among them. */
function subsetsOf<T>(items: readonly T[]): T[][] {
  return items.reduce<T[][]>((subsets, item) => [...subsets, ...subsets.map((subset) => [...subset, item])], [[]])
}
