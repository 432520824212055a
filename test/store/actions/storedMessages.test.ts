import { expect } from 'chai'
import { changeStep } from '../../../server/store/actions/stepChange.js'
import type { Database } from '../../../server/store/connection/database.js'
import type { Store } from '../../../server/store/store.js'
import { aNewAction, aSignedIntent, randomAddress, randomHash, stepOf, usdOn1 } from '../../support/builders.js'
import { useStore } from '../useStore.js'

/** More than MySQL's TEXT holds; cut anywhere, it would often be cut inside a character. */
const endless = `x${'🪙'.repeat(40_000)}`

describe('a message that is longer than its column', () => {
  let database: Database
  let store: Store
  const now = Date.now()
  const user = randomAddress()

  useStore((fresh) => {
    ;({ database, store } = fresh)
  })

  function expectCut(message: string | null | undefined) {
    expect(message).to.match(/^x(🪙)+…$/u)
    expect(message).to.have.length.within(1990, 2000)
  }

  it('ends a step all the same', async () => {
    const entry = aNewAction({ user, intents: [aSignedIntent()] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const error = { code: 'transfer_mismatch', message: endless, retryable: true } as const
    await database.transact((trx) => changeStep(trx, ref, { status: 'error', error }, now))
    expectCut((await store.readStep(ref))?.error?.message)
    const [event] = await store.readEvents(ref.actionId, 0, 1)
    expectCut(event?.step.error?.message)
  })

  it('ends a deposit report all the same', async () => {
    const report = { user, chainId: 1, transactionHash: randomHash(), sender: user, token: usdOn1, amount: 5n }
    const deposit = await store.reportDeposit({ ...report, isDeposit: true }, 1, now)
    await store.settleDeposit(deposit, { outcome: 'refused', code: 'deposit_mismatch', message: endless }, now)
    expectCut((await store.readDeposit(deposit.id))?.error?.message)
  })

  it('ends an airdrop all the same', async () => {
    const key = { chainId: 1, token: usdOn1, wallet: user }
    const asked = await store.requestAirdrop({ ...key, amount: 5n, periodMs: 1_000 }, now)
    if (asked.outcome !== 'accepted') throw new Error(asked.outcome)
    await store.failAirdrop(asked.airdrop, endless)
    expectCut((await store.readAirdrop(key))?.message)
  })

  it('stops a lane all the same', async () => {
    const lane = { chainId: 1, signer: randomAddress() }
    await store.openLane({ ...lane, chainNonce: 0, ifLedgerIsNew: null }, now)
    await store.pauseLane({ ...lane, reason: endless }, now)
    expectCut((await store.readLanes(1))[0]?.reason)
  })
})
