import { expect } from 'chai'
import type { Address } from 'viem'
import type { Airdrop } from '../../server/domain/airdrop.js'
import { ServiceError } from '../../server/domain/errors.js'
import type { Settings } from '../../server/domain/settings.js'
import { createAirdrops } from '../../server/services/airdrops.js'
import { createStore, type Store } from '../../server/store/store.js'
import { randomAddress, randomHash, usdOn2 } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

describe('a request for an airdrop', () => {
  let store: Store
  let drop: () => Promise<void>
  const [signer, wallet] = [randomAddress(), randomAddress()]
  const token = { id: 'usd', address: usdOn2, airdrop: { amount: 100n, periodSeconds: 60 } }
  const chain = { chainId: 2, testnet: true, vault: randomAddress(), delegates: [], tokens: [token] }
  const settings = { chains: new Map([[2, chain]]) } as unknown as Settings

  beforeEach(async () => {
    const fresh = await freshDatabase()
    drop = fresh.drop
    store = createStore(fresh.database)
    await store.openLane({ chainId: 2, signer, chainNonce: 0, ifLedgerIsNew: null }, Date.now())
  })
  afterEach(() => drop())

  async function pay(airdrop: Airdrop): Promise<string> {
    const attempt = { raw: '0x00', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, isCancel: false } as const
    const payload = { to: chain.vault, data: '0x' as const, authorizations: [], gasLimit: 1n, steps: [] }
    const sign = async () => ({ ...attempt, hash: randomHash() })
    const recorded = await store.recordTransaction({ chainId: 2, signer, ...payload, airdrop, sign }, Date.now())
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const hash = recorded.transaction.forms[0]!.hash
    const place = { number: 1, hash: randomHash() }
    const mined = { hash, blockNumber: place.number, blockHash: place.hash }
    const result = { airdrop, paidIn: place, hash, message: null }
    await store.settleTransaction(
      { transactionId: recorded.transaction.id, mined, results: [], airdrop: result },
      Date.now(),
    )
    return hash
  }

  it('is answered by what came of it, whatever comes of one that was asked for while it waited', async () => {
    const key = { chainId: 2, token: usdOn2, wallet }
    let hash: string | null = null
    const airdrops = createAirdrops({
      store,
      settings,
      wake: () => undefined,
      // All of this happens between two of its looks.
      async nextChange() {
        if (hash !== null) return
        hash = await pay((await store.readAirdrop(key))!)
        const next = await store.requestAirdrop({ ...key, amount: 30n, periodMs: 60_000 }, Date.now() + 60_000)
        if (next.outcome !== 'accepted') throw new Error(next.outcome)
        await store.failAirdrop(next.airdrop, 'the token is paused')
      },
      now: Date.now,
    })
    const wanted = { chainId: 2, tokenId: 'usd', wallet, amount: 70n }
    const answer = await airdrops.request(wanted, null, new AbortController().signal)
    expect(answer).to.include({ round: 1, status: 'success', amount: 70n, transactionHash: hash })
  })

  describe('of a wallet', () => {
    const key = { chainId: 2, token: usdOn2 }
    const begin = Date.now()
    let now: number
    let wallet: Address
    beforeEach(() => {
      now = begin
      wallet = randomAddress()
    })

    /** Asks for it while whatever is under way is ended by this. */
    function ask(amount: bigint | null, end: (airdrop: Airdrop) => Promise<unknown> = pay): Promise<Airdrop> {
      const airdrops = createAirdrops({
        store,
        settings,
        wake: () => undefined,
        async nextChange() {
          const airdrop = await store.readAirdrop({ ...key, wallet })
          if (airdrop?.status === 'executing') await end(airdrop)
        },
        now: () => now,
      })
      return airdrops.request({ chainId: 2, tokenId: 'usd', wallet, amount }, null, new AbortController().signal)
    }

    async function refusalOf(asked: Promise<Airdrop>): Promise<ServiceError> {
      const reason = await asked.then(
        () => null,
        (error: unknown) => error,
      )
      if (reason instanceof ServiceError) return reason
      throw reason ?? new Error('it was not refused')
    }

    it('is refused for the rest of the period once one is paid, whatever amount it asks for', async () => {
      const paid = await ask(1n)
      expect(paid).to.include({ round: 1, status: 'success', amount: 1n })
      now += 500
      for (const amount of [null, 1n, 99n, 100n]) {
        const refusal = await refusalOf(ask(amount))
        expect(refusal.code).to.equal('airdrop_cooldown')
        expect(refusal.message).to.equal(
          `This wallet has had its airdrop, in transaction ${paid.transactionHash}; the next is due in 60 seconds.`,
        )
        expect(refusal.details).to.deep.equal({ retryAfter: 60 })
      }
      now = begin + 59_999
      expect((await refusalOf(ask(1n))).details).to.deep.equal({ retryAfter: 1 })
      now = begin + 60_000
      expect(await ask(null)).to.include({ round: 2, status: 'success', amount: 100n })
    })

    it('may follow at once when the one before could not be paid', async () => {
      const failed = await refusalOf(ask(70n, (airdrop) => store.failAirdrop(airdrop, 'the token is paused')))
      expect(failed.code).to.equal('airdrop_unavailable')
      expect(await ask(100n)).to.include({ round: 2, status: 'success', amount: 100n })
    })

    it('names the field and the most that is allowed when it asks for more, paid or not', async () => {
      for (const [amount, code] of [
        [101n, 'maximum'],
        [0n, 'minimum'],
      ] as const) {
        const refusal = await refusalOf(ask(amount))
        expect(refusal).to.include({ code: 'validation_failed', message: 'amount must be from 1 to 100' })
        expect(refusal.details.issues).to.deep.equal([
          { path: '/amount', message: 'amount must be from 1 to 100', code },
        ])
      }
      expect(await store.readAirdrop({ ...key, wallet })).to.equal(null)
    })
  })
})
