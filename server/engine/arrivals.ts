import type { Address } from 'viem'
import type { Chain, Receipt } from '../chain/chain.js'
import { nativeToken } from '../domain/action.js'
import { requiredConfirmations } from '../domain/finality.js'
import type { Arrival } from '../store/creditArrivals.js'
import type { EngineTools } from './tools.js'

/**
 * How deep a transaction has to be for what these users have paid in it. Each counts by himself: steps that share a
 * transaction wait no longer for it than each by itself, unless one of them moves more.
 */
export function confirmationsFor(
  receipt: Receipt,
  users: readonly Address[],
  { config }: Chain,
  tools: EngineTools,
): number {
  const arrivals = tools.codec.vaultArrivals(receipt, config)
  const needed = users.map((user) =>
    requiredConfirmations(
      config,
      arrivals.filter(({ from }) => from === user),
    ),
  )
  return Math.max(config.confirmations, ...needed)
}

/** What reached the vaults from the user in a transaction: what its logs say, less what tokens kept of it. */
export async function arrivalsOf(
  receipt: Receipt,
  user: Address,
  chain: Chain,
  tools: EngineTools,
): Promise<Arrival[]> {
  const logged = tools.codec.vaultArrivals(receipt, chain.config).filter((arrival) => arrival.from === user)
  const tokens = logged.filter(({ token }) => token !== nativeToken)
  const measured = tokens.length > 0 ? await chain.measureArrivals(tokens, receipt.blockNumber) : []
  const amounts = new Map(tokens.map((arrival, index) => [arrival, measured[index]!]))
  return logged.map((arrival) => ({
    chainId: chain.config.chainId,
    transactionHash: receipt.hash,
    logIndex: arrival.logIndex,
    blockNumber: Number(receipt.blockNumber),
    blockHash: receipt.blockHash,
    user,
    token: arrival.token,
    amount: amounts.get(arrival) ?? arrival.amount,
  }))
}
