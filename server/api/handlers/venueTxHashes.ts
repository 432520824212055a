import type { Hash } from 'viem'
import { ServiceError } from '../../domain/errors.js'
import type { VenueTxHashesService } from '../../services/venueTxHashes.js'
import type { Handlers } from '../handlerTypes.js'
import { presentVenueTxHash } from '../present.js'
import { lower } from '../requests/lower.js'

export function createVenueTxHashHandlers(
  venueTxHashes: VenueTxHashesService,
): Pick<Handlers, 'recordVenueTxHash' | 'queryVenueTxHashes' | 'verifyVenueTxHash'> {
  return {
    async recordVenueTxHash({ body: { address, txHash, actionType, venue, chainId } }) {
      await venueTxHashes.record({ address: lower(address), txHash: lower(txHash), actionType, venue, chainId })
      return { status: 200, body: { success: true, data: null, error: null } }
    },

    async queryVenueTxHashes({ query: { address, actionTypes, venue, count = 1 } }) {
      const records = await venueTxHashes.query({
        address: lower(address),
        actionTypes: actionTypes ?? null,
        venue: venue ?? null,
        count,
      })
      return {
        status: 200,
        body: {
          success: records.length === count,
          data: { txHashes: records.map(presentVenueTxHash) },
          error: null,
        },
      }
    },

    async verifyVenueTxHash({ path, query }) {
      // Any text may be asked for; what is no hash has no record.
      if (!/^0x[0-9a-f]{64}$/i.test(path.txHash)) throw new ServiceError('not_found', 'Transaction hash not found')
      const record = await venueTxHashes.verify({
        txHash: lower(path.txHash as Hash),
        actionType: query.actionType ?? null,
        venue: query.venue ?? null,
      })
      return { status: 200, body: { success: true, data: presentVenueTxHash(record), error: null } }
    },
  }
}
