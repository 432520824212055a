import { call } from '../../server/chain/nodes/rpcFormat.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Ask } from './contractReader.js'
import type { Findings } from './finding.js'

/** So many times as much, or as little, as a node suggests costs money or time. */
const factor = 10n

/** Whether transactions begin with a tip that is of the size of what the node suggests, both in wei per gas. */
export async function checkTip(chain: ChainConfig, ask: Ask, { warn }: Findings): Promise<void> {
  // Test chains take any.
  if (chain.testnet) return
  const [answer] = await ask([call('eth_maxPriorityFeePerGas')])
  const suggested = typeof answer?.result === 'string' ? BigInt(answer.result) : null
  if (suggested === null) return
  const { chainId, priorityFeePerGas: tip } = chain
  const remedy = `Set priorityFeePerGas of chain ${chainId} in the chains file to about ${suggested}.`
  const compared = `it suggests a tip of ${suggested} wei, and transactions begin with ${tip}`
  if (tip > suggested * factor) warn('rpc.tip', `${compared}, which each step pays`, remedy)
  if (tip * factor < suggested) warn('rpc.tip', `${compared}, which blocks may pass over`, remedy)
}
