import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { NodeFailure } from '../../server/chain/nodes/nodeFailure.js'
import { call, readBigInt, readHex, resultOf } from '../../server/chain/nodes/rpcFormat.js'
import type { RpcAnswer, RpcCall } from '../../server/chain/nodes/rpcNode.js'
import { isRevert } from '../../server/chain/nodes/isRevert.js'

/** Asks one node. */
export type Ask = (calls: readonly RpcCall[]) => Promise<RpcAnswer[]>

export type ContractReader = ReturnType<typeof createContractReader>

/** Reads what may be no contract of ours, or none at all. Throws a `NodeFailure` where the node does not say. */
export function createContractReader(ask: Ask) {
  return { code, word, balance, vault }

  async function code(address: Address): Promise<Hex> {
    const [answer] = await ask([call('eth_getCode', address, 'latest')])
    return given(answer, readHex)
  }

  /** One word, or null where the call reverts or returns something else. */
  async function word(to: Address, data: Hex): Promise<Hex | null> {
    const [answer] = await ask([call('eth_call', { to, data }, 'latest')])
    if (answer?.error && isRevert(answer.error)) return null
    const returned = given(answer, readHex)
    return returned.length >= 66 ? returned : null
  }

  /** In wei. */
  async function balance(address: Address): Promise<bigint> {
    const [answer] = await ask([call('eth_getBalance', address, 'latest')])
    return given(answer, readBigInt)
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

/** A node that refuses a call, or answers it with something else, says nothing of what is on the chain. */
function given<Result>(answer: RpcAnswer | undefined, read: (result: unknown) => Result): Result {
  if (answer?.error) throw new NodeFailure(answer.error.message)
  try {
    return read(resultOf(answer))
  } catch (error) {
    throw new NodeFailure((error as Error).message)
  }
}
