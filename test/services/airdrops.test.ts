import { expect } from 'chai'
import type { Airdrop } from '../../server/domain/airdrop.js'
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
    await store.openLane({ chainId: 2, signer, chainNonce: 0 }, Date.now())
  })
  afterEach(() => drop())

  async function pay(airdrop: Airdrop): Promise<string> {
    const attempt = { raw: '0x00', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, isCancel: false } as const
    const payload = { to: chain.vault, data: '0x' as const, authorizations: [], gasLimit: 1n, steps: [] }
    const sign = async () => ({ ...attempt, hash: randomHash() })
    const recorded = await store.recordTransaction({ chainId: 2, signer, ...payload, airdrop, sign }, Date.now())
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const hash = recorded.transaction.attempts[0]!.hash
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
        hash = await pay((await store.readAirdrop(key))!)
        const terms = { amount: 30n, limit: 100n, periodMs: 60_000 }
        const next = await store.requestAirdrop({ ...key, ...terms }, Date.now())
        if (next.outcome !== 'accepted') throw new Error(next.outcome)
        await store.failAirdrop(next.airdrop, 'the token is paused')
      },
      now: Date.now,
    })
    const wanted = { chainId: 2, tokenId: 'usd', wallet, amount: 70n }
    const answer = await airdrops.request(wanted, new AbortController().signal)
    expect(answer).to.include({ round: 1, status: 'success', amount: 70n, transactionHash: hash })
  })
})
