import type { AirdropsService } from '../../services/airdrops.js'
import type { Handlers } from '../handlers.js'
import { lower } from '../readAction.js'

export function createAirdropHandlers(airdrops: AirdropsService): Pick<Handlers, 'requestAirdrop'> {
  return {
    async requestAirdrop({ path, body, signal }) {
      const airdrop = await airdrops.request(
        {
          chainId: path.chainId,
          tokenId: path.tokenId,
          wallet: lower(body.wallet),
          amount: body.amount === undefined ? null : BigInt(body.amount),
        },
        signal,
      )
      return {
        status: airdrop.status === 'success' ? 200 : 202,
        body: {
          success: true,
          data: { txHash: airdrop.transactionHash, amount: airdrop.amount.toString() },
          error: null,
        },
      }
    },
  }
}
