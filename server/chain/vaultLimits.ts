import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { solverVaultAbi } from './generated/contracts.js'
import type { Rpc } from './nodes/rpc.js'
import { call, readHex } from './nodes/rpcFormat.js'
import type { RpcAnswer } from './nodes/rpcNode.js'
import { isRevert } from './nodes/isRevert.js'

/** What keeps the vault from paying. */
export type VaultLimits = {
  /** The vault's owner lets operators pay nothing. */
  isPaused: boolean
  /**
   * For each token, in its smallest unit: what may go out on one day (0: any amount), and
   * what has on `day` (unix days).
   */
  outflows: { cap: bigint; spent: bigint; day: number }[]
}

/** Asks for all in one round trip. Where there is no vault nothing limits it. */
export function readVaultLimits(rpc: Rpc, vault: Address, tokens: readonly Address[]): Promise<VaultLimits> {
  const asked = [
    encodeFunctionData({ abi: solverVaultAbi, functionName: 'paused' }),
    ...tokens.map((token) => encodeFunctionData({ abi: solverVaultAbi, functionName: 'outflowOf', args: [token] })),
  ]
  return rpc.read(
    asked.map((data) => call('eth_call', { to: vault, data }, 'latest')),
    ([paused, ...outflows]) => ({
      isPaused: dataOf(paused, 1) !== '0x' && BigInt(dataOf(paused, 1)) === 1n,
      outflows: outflows.map(readOutflow),
    }),
    { isAnswer: isRevert },
  )
}

function readOutflow(answer: RpcAnswer): VaultLimits['outflows'][number] {
  const data = dataOf(answer, 3)
  if (data === '0x') return { cap: 0n, spent: 0n, day: 0 }
  const [cap, spent, day] = decodeFunctionResult({ abi: solverVaultAbi, functionName: 'outflowOf', data })
  return { cap, spent, day }
}

/** What a call has returned; `0x` unless it is so many words. */
function dataOf(answer: RpcAnswer | undefined, words: number): Hex {
  const data = answer && !answer.error ? readHex(answer.result) : '0x'
  return data.length === 2 + 64 * words ? data : '0x'
}
