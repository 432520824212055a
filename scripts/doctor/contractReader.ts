import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { NodeFailure } from '../../server/chain/nodeFailure.js'
import { call } from '../../server/chain/rpcFormat.js'
import type { RpcAnswer, RpcCall } from '../../server/chain/rpcNode.js'

/** Asks one node. */
export type Ask = (calls: readonly RpcCall[]) => Promise<RpcAnswer[]>

export type ContractReader = ReturnType<typeof createContractReader>

/** Reads what may be no contract of ours, or none at all. */
export function createContractReader(ask: Ask) {
  return { code, word, balance, vault }

  /** Throws where the node gives none. */
  async function code(address: Address): Promise<string> {
    const [answer] = await ask([call('eth_getCode', address, 'latest')])
    if (typeof answer?.result !== 'string') throw new NodeFailure(answer?.error?.message ?? 'eth_getCode gave nothing')
    return answer.result
  }

  /** One word, or null where the call fails or returns something else. */
  async function word(to: Address, data: Hex): Promise<Hex | null> {
    const [answer] = await ask([call('eth_call', { to, data }, 'latest')])
    return typeof answer?.result === 'string' && answer.result.length >= 66 ? (answer.result as Hex) : null
  }

  /** In wei. */
  async function balance(address: Address): Promise<Hex | null> {
    const [answer] = await ask([call('eth_getBalance', address, 'latest')])
    return (answer?.result as Hex | undefined) ?? null
  }

  /** What a function of a vault returns, or null where that is no vault. */
  async function vault(address: Address, functionName: string, args: readonly unknown[] = []): Promise<unknown> {
    const abi = solverVaultAbi as Abi
    const data = await word(address, encodeFunctionData({ abi, functionName, args }))
    try {
      return data && decodeFunctionResult({ abi, functionName, data })
    } catch {
      return null
    }
  }
}
