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
  // Some gateways refuse a method that they don't know as if they refused everything; the
  // engine does without it as well.
  const [answer] = await ask([call('eth_maxPriorityFeePerGas')]).catch(() => [])
  const suggested = typeof answer?.result === 'string' ? BigInt(answer.result) : null
  // Nothing is what some suggest while blocks have room, and with it no transaction would
  // have a place once they are full.
  if (!suggested) return
  const { chainId, priorityFeePerGas: tip } = chain
  const compared = `it suggests a tip of ${suggested} wei at this moment, and transactions begin with ${tip}`
  const field = `priorityFeePerGas of chain ${chainId} in the chains file`
  if (tip > suggested * factor) {
    const remedy = `Ask again at another time of the day; set ${field} to the most that it suggests.`
    warn('rpc.tip', `${compared}, which each step pays`, remedy)
  }
  if (tip * factor < suggested) {
    warn('rpc.tip', `${compared}, which blocks may pass over`, `Set ${field} to about ${suggested}.`)
  }
}
