import type { Address } from 'viem'
import type { Chain, Receipt } from '../chain/chain.js'
import { nativeToken } from '../domain/action.js'
import type { Arrival } from '../store/creditArrivals.js'
import type { EngineTools } from './tools.js'

/** What reached the vault from the user in a transaction: what its logs say, less what tokens kept of it. */
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
