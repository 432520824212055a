import type { Address } from 'viem'
import type { DepositReport, DepositView } from '../domain/deposit.js'
import { ServiceError } from '../domain/errors.js'
import { requiredConfirmations } from '../domain/finality.js'
import { issueAt } from '../domain/issueAt.js'
import type { Settings } from '../domain/settings.js'
import { findToken } from '../domain/solverNeeds.js'
import { depositTopic } from '../domain/topics.js'
import type { Store } from '../store/store.js'
import { awaitEnd } from './awaitEnd.js'
import type { NextChange } from './changes.js'
import { checkUser } from './checkUser.js'
import { refuseIssue } from './refuseIssue.js'

/** How long a report is held open for its confirmation, unless its client says how long. */
const defaultWaitMs = 5_000

export type TokenBalanceView = {
  chainId: number
  token: Address
  symbol: string
  decimals: number
  /** All in the token's smallest unit. */
  amount: bigint
  available: bigint
  reserved: bigint
}

export type DepositsService = ReturnType<typeof createDeposits>

export function createDeposits(deps: {
  store: Store
  settings: Settings
  wake: () => void
  nextChange: NextChange
  now: () => number
}) {
  const { store, settings } = deps

  return {
    /**
     * Records a deposit or withdrawal once the chain has confirmed it. Answers with the status `pending` when that
     * takes longer than the request is held open: `waitMs`, null for the default. Throws `ServiceError` when the chain
     * contradicts the report, and when it did the last time and has not been asked again within the wait.
     */
    async record(report: DepositReport, waitMs: number | null, signal: AbortSignal): Promise<DepositView> {
      const chain = settings.chains.get(report.chainId)
      if (!chain) {
        throw new ServiceError('chain_unsupported', `chainId: chain ${report.chainId} is not supported.`)
      }
      const [notAllowed] = checkUser(report.user, settings, { mayFund: !report.isDeposit })
      if (notAllowed) throw refuseIssue(notAllowed)
      if (!findToken(chain, report.token)) {
        throw new ServiceError(
          'token_unsupported',
          `tokenAddress: this token is not supported on chain ${report.chainId}.`,
        )
      }
      if (report.amount === 0n) throw refuseIssue(issueAt('/amount', 'must be at least 1', 'minimum'))
      const { refusal, ...reported } = await store.reportDeposit(
        report,
        requiredConfirmations(chain, [report]),
        deps.now(),
      )
      deps.wake()
      const deposit = {
        first: reported,
        hasEnded: ({ status }: DepositView) => status !== 'pending',
        nextChange: (timeoutMs: number, until: AbortSignal) =>
          deps.nextChange(depositTopic(reported.id), timeoutMs, until),
        look: () => store.readDeposit(reported.id),
      }
      const view = await awaitEnd(deposit, { waitMs: waitMs ?? defaultWaitMs, signal, now: deps.now })
      if (view.error) throw new ServiceError(view.error.code, view.error.message)
      // A client that never waits would not hear of the refusal otherwise.
      if (view.status === 'pending' && view.confirmations === 0 && refusal) {
        const again = 'It is being looked at again; send the same report later for what comes of that.'
        throw new ServiceError(refusal.code, `${refusal.message} ${again}`)
      }
      return view
    },

    /** What a user has by the ledger, by chain and token. */
    async balances(user: Address): Promise<TokenBalanceView[]> {
      const rows = await store.readBalances(user)
      return rows.flatMap((row) => {
        const chain = settings.chains.get(row.chainId)
        const token = chain && findToken(chain, row.token)
        // A token that has left the configuration can't be shown with its decimals; the ledger keeps it.
        if (!token) return []
        const { chainId, available, reserved } = row
        const amount = available + reserved + (row.wallet > 0n ? row.wallet : 0n)
        return [
          { chainId, token: row.token, symbol: token.symbol, decimals: token.decimals, amount, available, reserved },
        ]
      })
    },
  }
}
