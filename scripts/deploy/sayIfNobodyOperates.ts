import type { Address, PublicClient } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import type { ChainPlan } from './planChain.js'
import { onChain } from './reachNodes.js'

/**
 * Says that nobody may operate the vault, or that no node tells. A new one has no operator,
 * whether its logs are searched or not.
 */
export async function sayIfNobodyOperates(
  { chain, vault }: ChainPlan,
  reader: PublicClient,
  { isNew, say }: { isNew: boolean; say: (line: string) => void },
): Promise<boolean> {
  const mayAnyone = (await onChain(chain, mayAnyoneOperate(reader, vault))) ?? (isNew ? false : null)
  if (mayAnyone === null) {
    const remedy = "npm run doctor tells for the service's keys"
    say(
      `${chain.chainId}: whether anyone may operate the vault was not found out: no node searches its logs; ${remedy}`,
    )
  }
  if (mayAnyone !== false) return false
  say(
    `${chain.chainId}: NOBODY MAY OPERATE the vault, as far as its logs tell, so that it pays nothing: run this again with ` +
      '--operators <address,…>, or with the SOLVER_ variables that name the keys',
  )
  return true
}

/** As far as the vault's logs tell. Null: no node searches them. */
async function mayAnyoneOperate(reader: PublicClient, vault: Address): Promise<boolean | null> {
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
