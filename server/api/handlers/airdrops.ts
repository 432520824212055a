import type { Address } from 'viem'
import { readToken } from '../../../sdk/src/readToken.js'
import type { AirdropsService } from '../../services/airdrops.js'
import type { Handlers } from '../handlerTypes.js'
import { lower } from '../requests/lower.js'
import { preferredWait } from './preferredWait.js'

export function createAirdropHandlers(airdrops: AirdropsService): Pick<Handlers, 'requestAirdrop'> {
  return {
    async requestAirdrop({ path, headers, body, signal }) {
      const { waitMs, applied } = preferredWait(headers.prefer)
      const airdrop = await airdrops.request(
        {
          chainId: path.chainId,
          // An address, or a token's name in the configuration.
          tokenId: readToken(path.tokenId as Address),
          wallet: lower(body.wallet),
          amount: body.amount === undefined ? null : BigInt(body.amount),
        },
        waitMs,
        signal,
      )
      return {
        status: airdrop.status === 'success' ? 200 : 202,
        headers: applied,
        body: {
          success: true,
          data: { txHash: airdrop.transactionHash, amount: airdrop.amount.toString() },
          error: null,
        },
      }
    },
  }
}
