import { expect } from 'chai'
import type { Store } from '../../../server/store/store.js'
import { aNewTransaction, aSignedForm, randomAddress } from '../../support/builders.js'
import { useStore } from '../useStore.js'

describe('a nonce of a lane that is missing', () => {
  let store: Store
  useStore((fresh) => (store = fresh.store))

  const lane = { chainId: 1, signer: randomAddress() }
  const fill = (nonce: number) =>
    store.recordFiller({ ...lane, nonce, gasLimit: 21_000n, form: aSignedForm() }, Date.now())
  const stops = {
    paused: () => store.pauseLane({ ...lane, reason: 'leaked' }, Date.now()),
    retired: () => store.retireLane({ ...lane, givesUp: true }, Date.now()),
  }

  for (const [how, stop] of Object.entries(stops)) {
    it(`is filled once, and not where the lane was ${how} meanwhile`, async () => {
      await store.openLane({ ...lane, chainNonce: 7, ifLedgerIsNew: null }, Date.now())
      expect(await fill(5)).to.include({ nonce: 5 })
      expect(await fill(5)).to.equal(null)
      await stop()
      expect(await fill(6)).to.equal(null)
    })

    it(`brings nothing back that was given up where the lane was ${how} meanwhile`, async () => {
      await store.openLane({ ...lane, chainNonce: 7, ifLedgerIsNew: null }, Date.now())
      const recorded = await store.recordTransaction(aNewTransaction({ ...lane }), Date.now())
      if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
      await store.resumeLane({ ...lane, chainNonce: 7, lost: [recorded.transaction.id] }, Date.now())
      await stop()
      expect(await store.reopenLost({ ...lane, nonce: 7 }, Date.now())).to.equal(false)
    })
  }
})
