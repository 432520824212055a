import type { Address, Hash } from 'viem'
import { ServiceError } from '../domain/errors.js'
import type { VenueTxHashStore } from '../store/venueTxHashes.js'

/** Ties a user's transaction to what he did at which venue. */
export type VenueTxHash = { address: Address; txHash: Hash; actionType: string; venue: string; chainId: number }

export type VenueTxHashesService = ReturnType<typeof createVenueTxHashes>

export function createVenueTxHashes(deps: { store: VenueTxHashStore; now: () => number }) {
  return {
    /** Saves a record; the same one again changes nothing. */
    record: (record: VenueTxHash): Promise<void> => deps.store.insert(record, deps.now()),

    /** Newest first, at most `count`. */
    query: (filter: {
      address: Address
      actionTypes: string[] | null
      venue: string | null
      count: number
    }): Promise<VenueTxHash[]> => deps.store.find(filter),

    /** The newest record of the hash that is as expected; otherwise says what differs. */
    async verify(expected: { txHash: Hash; actionType: string | null; venue: string | null }): Promise<VenueTxHash> {
      const records = await deps.store.findByHash(expected.txHash)
      if (records.length === 0) throw new ServiceError('not_found', 'Transaction hash not found')
      const ofType = records.filter((r) => expected.actionType === null || r.actionType === expected.actionType)
      if (ofType.length === 0) {
        throw new ServiceError(
          'not_found',
          `Transaction hash not found with actionType "${expected.actionType}": the recorded actionType differs`,
          { field: 'actionType' },
        )
      }
      const match = ofType.find((r) => expected.venue === null || r.venue === expected.venue)
      if (match) return match
      throw new ServiceError(
        'not_found',
        `Transaction hash not found with venue "${expected.venue}": the recorded venue differs`,
        { field: 'venue' },
      )
    },
  }
}
