import { readToken } from '../../../sdk/src/readToken.js'
import type { DepositsService } from '../../services/deposits.js'
import { checksumAddress } from '../checksumAddress.js'
import type { Handlers } from '../handlerTypes.js'
import { presentBalance, presentDeposit } from '../present.js'
import { lower } from '../requests/lower.js'
import { preferredWait } from './preferredWait.js'

export function createDepositHandlers(deposits: DepositsService): Pick<Handlers, 'recordDeposit' | 'getBalances'> {
  return {
    async recordDeposit({ headers, body, signal }) {
      const { waitMs, applied } = preferredWait(headers.prefer)
      const view = await deposits.record(
        {
          user: lower(body.user),
          chainId: body.chainId,
          transactionHash: lower(body.txHash),
          sender: lower(body.sender),
          token: readToken(body.tokenAddress),
          amount: BigInt(body.amount),
          isDeposit: body.isDeposit ?? true,
        },
        waitMs,
        signal,
      )
      return {
        status: view.status === 'recorded' ? 200 : 202,
        headers: applied,
        body: { success: true, data: { record: presentDeposit(view) }, error: null },
      }
    },

    async getBalances({ path }) {
      const balances = await deposits.balances(lower(path.address))
      return {
        status: 200,
        body: {
          success: true,
          data: { address: checksumAddress(path.address), tokens: balances.map(presentBalance) },
          error: null,
        },
      }
    },
  }
}
