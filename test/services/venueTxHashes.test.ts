import { expect } from 'chai'
import { ServiceError } from '../../server/domain/errors.js'
import { createVenueTxHashes, type VenueTxHashesService } from '../../server/services/venueTxHashes.js'
import type { Database } from '../../server/store/connection/database.js'
import { randomAddress, randomHash } from '../support/builders.js'
import { useStore } from '../store/useStore.js'

describe('a record of a hash that many have recorded', () => {
  let database: Database
  let service: VenueTxHashesService
  useStore((fresh) => {
    database = fresh.database
    service = createVenueTxHashes({ store: fresh.store.venueTxHashes, now: Date.now })
  })

  const txHash = randomHash()
  const record = { address: randomAddress(), txHash, actionType: 'deposit', venue: 'old', chainId: 1 }
  const verify = (actionType: string | null, venue: string | null) =>
    service.verify({ txHash, actionType, venue }).catch((error: unknown) => {
      if (error instanceof ServiceError) return error.details.field ?? error.message
      throw error
    })

  it('is found by what it says, and what differs is told, however many newer ones there are', async () => {
    await service.record(record)
    const others = Array.from({ length: 2_000 }, (_, index) => ({
      address: record.address,
      tx_hash: txHash,
      action_type: 'swap',
      venue: `v${index}`,
      chain_id: 1,
      created_at: Date.now() + 1,
    }))
    await database.knex.batchInsert('venue_tx_hashes', others, 100)
    expect(await verify('deposit', 'old')).to.deep.equal(record)
    expect(await verify('deposit', null)).to.deep.equal(record)
    expect(await verify(null, 'old')).to.deep.equal(record)
    expect(await verify(null, null)).to.include({ venue: 'v1999' })
    expect(await verify('deposit', 'v1')).to.equal('venue')
    expect(await verify(null, 'none')).to.equal('venue')
    expect(await verify('withdraw', 'old')).to.equal('actionType')
    expect(await verify('withdraw', null)).to.equal('actionType')
    expect(await service.verify({ ...record, txHash: randomHash() }).catch((error: Error) => error.message)).to.equal(
      'Transaction hash not found',
    )
  })
})
