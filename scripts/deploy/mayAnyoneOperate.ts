import type { Address, PublicClient } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'

/** As far as the vault's logs tell. Null: no node searches them. */
export async function mayAnyoneOperate(reader: PublicClient, vault: Address): Promise<boolean | null> {
  const contract = { address: vault, abi: solverVaultAbi } as const
  const logs = await reader
    .getContractEvents({ ...contract, eventName: 'OperatorSet', fromBlock: 0n })
    .catch(() => null)
  if (logs === null) return null
  for (const operator of new Set(logs.map(({ args }) => args.operator!))) {
    if (await reader.readContract({ ...contract, functionName: 'isOperator', args: [operator] })) return true
  }
  return false
}
