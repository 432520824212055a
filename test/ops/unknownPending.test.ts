import { expect } from 'chai'
import { findUnknownPending } from '../../scripts/reconcile/unknownPending.js'
import type { Chain } from '../../server/chain/chain.js'
import { randomAddress } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

describe('a transaction that waits in a pool', () => {
  it('is named where the journal does not have it, and not once it is mined', async () => {
    const { database, drop } = await freshDatabase()
    const signer = randomAddress()
    const lane = { chain_id: 1, signer, next_nonce: 5, status: 'active', updated_at: 0 }
    await database.knex('lanes').insert(lane)
    /** By the second of two nodes; the first one lags. */
    const found = (mined: number, pending: number) => {
      const nonces = async (_signers: unknown, at: string) => [[3, at === 'latest' ? mined : pending]]
      return findUnknownPending(database, { config: { chainId: 1 }, nonces } as unknown as Chain)
    }
    expect(await found(5, 7)).to.deep.equal([{ chainId: 1, signer, nonce: 6, node: 1 }])
    expect(await found(4, 5), 'what the journal has').to.deep.equal([])
    expect(await found(7, 7), 'what is mined').to.deep.equal([])
    await drop()
  })
})
