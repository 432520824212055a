import { type Address, padHex } from 'viem'
import { type ChainConfig, vaultsOf } from '../domain/chainConfig.js'
import { encodeIsOperator, operatorSetTopic } from './contracts.js'
import { flagOf } from './readFlag.js'
import type { Rpc } from './nodes/rpc.js'
import { call, quantity, readArray, readBigInt, resultOf } from './nodes/rpcFormat.js'
import type { RpcAnswer } from './nodes/rpcNode.js'

/**
 * Whether a vault lets an account pay, as each node tells it, in the order of `rpcUrls`. `untold`: a node does not say.
 */
export type OperatorRight = { vault: Address; nodes: ('known' | 'unknown' | 'untold')[] }

/**
 * Reads an account's right in every vault, former ones too: now, and as of the newest block that is final, since a
 * reorganisation may bring back what was before. A node that has no state of that block any more tells by the vault's
 * logs that the right has not changed since; they are kept for longer, and nothing else changes it.
 */
export function createOperatorRights(rpc: Rpc, config: Pick<ChainConfig, 'vault' | 'formerVaults' | 'confirmations'>) {
  return async (operator: Address): Promise<OperatorRight[]> => {
    const { number } = await rpc.readHead()
    const newestFinal = number - BigInt(config.confirmations) + 1n
    const final = newestFinal > 0n ? newestFinal : 0n
    const data = encodeIsOperator(operator)
    return Promise.all(
      vaultsOf(config).map(async (vault) => {
        const topics = [operatorSetTopic, padHex(operator, { size: 32 })]
        const since = { address: vault, topics, fromBlock: quantity(final + 1n), toBlock: 'latest' }
        const asked = [
          // The head first: what follows is of that block at the least.
          call('eth_blockNumber'),
          call('eth_call', { to: vault, data }, 'latest'),
          call('eth_call', { to: vault, data }, quantity(final)),
          // A range that begins beyond the head is refused by many.
          ...(final < number ? [call('eth_getLogs', since)] : []),
        ]
        const told = await rpc.readEach(asked, ([head, ...answers]) => {
          if (readBigInt(resultOf(head)) < final) throw new Error('the node lags behind')
          return rightOf(answers)
        })
        return { vault, nodes: told.map((node) => node ?? 'untold') }
      }),
    )
  }
}

function rightOf([now, before, changes]: RpcAnswer[]): OperatorRight['nodes'][number] {
  const [isNow, wasFinal] = [flagOf(now), flagOf(before)]
  if (isNow || wasFinal) return 'known'
  if (isNow === null) return 'untold'
  if (wasFinal === false) return 'unknown'
  if (!changes || changes.error) return 'untold'
  // A change since then may have given the right as well as taken it.
  return readArray(changes.result).length === 0 ? 'unknown' : 'known'
}
