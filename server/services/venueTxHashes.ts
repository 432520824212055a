import type { Hash } from 'viem'
import { ServiceError } from '../domain/errors.js'
import type { VenueTxHash, VenueTxHashQuery } from '../domain/venueTxHash.js'
import type { VenueTxHashStore } from '../store/venueTxHashes.js'

export type VenueTxHashesService = ReturnType<typeof createVenueTxHashes>

export function createVenueTxHashes(deps: { store: VenueTxHashStore; now: () => number }) {
  return {
    /** Saves a record; the same one again changes nothing. */
    record: (record: VenueTxHash): Promise<void> => deps.store.insert(record, deps.now()),

    /** Newest first, at most `count`. */
    query: (query: VenueTxHashQuery): Promise<VenueTxHash[]> => deps.store.find(query),

    /** The newest record of the hash that is as expected; throws `not_found` otherwise, which says what differs. */
    async verify(expected: { txHash: Hash; actionType: string | null; venue: string | null }): Promise<VenueTxHash> {
      const { txHash, actionType, venue } = expected
      const match = await deps.store.findByHash(txHash, { actionType, venue })
      if (match) return match
      const isOfType = venue !== null && (await deps.store.findByHash(txHash, { actionType, venue: null })) !== null
      if (isOfType) throw differs('venue', venue)
      const isKnown = actionType !== null && (await deps.store.findByHash(txHash, anyLabels)) !== null
      if (isKnown) throw differs('actionType', actionType)
      throw new ServiceError('not_found', 'Transaction hash not found')
    },
  }
}

const anyLabels = { actionType: null, venue: null }

function differs(field: 'actionType' | 'venue', value: string): ServiceError {
  const message = `Transaction hash not found with ${field} "${value}": the recorded ${field} differs`
  return new ServiceError('not_found', message, { field })
}
