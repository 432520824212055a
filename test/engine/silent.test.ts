import { expect } from 'chai'
import type { Block, Chain } from '../../server/chain/chain.js'
import { createSendWindow } from '../../server/engine/lanes/sendWindow.js'
import { createSilentCheck } from '../../server/engine/receipts/silent.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { Store } from '../../server/store/store.js'
import { aNewTransaction, randomAddress } from '../support/builders.js'
import { useStore } from '../store/useStore.js'

describe('transactions that no block mentions', () => {
  let store: Store
  useStore((fresh) => void (store = fresh.store))

  it('are not read with all they carry while they are queued, and are postponed with the others', async () => {
    const signer = randomAddress()
    await store.openLane({ chainId: 1, signer, chainNonce: 0, ifLedgerIsNew: null }, Date.now())
    const ids: number[] = []
    for (let index = 0; index < 3; index++) {
      const recorded = await store.recordTransaction(aNewTransaction({ chainId: 1, signer, steps: [] }), Date.now())
      if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
      ids.push(recorded.transaction.id)
    }
    const sendWindow = createSendWindow(store.unminedNonces, 1)
    for (const nonce of [0, 1, 2]) await sendWindow.admit({ chainId: 1, signer, nonce })
    const now = Date.now() + 60_000
    const read: (readonly number[])[] = []
    const begun: number[][] = []
    const tools = {
      store: {
        ...store,
        readUnminedOf: (wanted: readonly number[]) => (read.push(wanted), store.readUnminedOf(wanted)),
      },
      sendWindow,
      now: () => now,
      log: { warn: () => {} },
    } as unknown as EngineTools
    const chain = {
      config: { chainId: 1 },
      receipts: async (hashes: unknown[]) => hashes.map(() => null),
    } as unknown as Chain
    const check = createSilentCheck(chain, tools, {
      meet: async () => {},
      resends: { begin: (unmined) => void begun.push(unmined.map(({ id }) => id)), stop: async () => {} },
    })
    await check({ number: 9n } as Block, 0)
    expect({ read, begun }).to.deep.equal({ read: [[ids[0]]], begun: [[ids[0]]] })
    expect(await store.readDueTransactions(1, 10, now)).to.deep.equal([])
    expect(await store.readDueTransactions(1, 10, now + 10_000)).to.have.length(3)
  })
})
