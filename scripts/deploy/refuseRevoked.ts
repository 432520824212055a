import type { Address, PublicClient } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { DeployRefused } from './deployRefused.js'

/**
 * Of somebody who is no operator of a vault, throws where its owner has taken his right, or where that is not found
 * out: a key that is still among the service's may be one that has leaked.
 */
export async function refuseRevoked(
  { chainId, vaultBlock = 0 }: ChainConfig,
  vault: Address,
  operator: Address,
  reader: PublicClient,
): Promise<void> {
  const given = { address: vault, abi: solverVaultAbi, fromBlock: BigInt(vaultBlock) } as const
  const logs = await reader.getContractEvents(given).catch(() => [])
  // The constructor's; a node that lacks that one may lack others.
  const isWhole = logs.some(({ eventName }) => eventName === 'OwnershipTransferred')
  const last = logs.findLast((log) => log.eventName === 'OperatorSet' && log.args.operator?.toLowerCase() === operator)
  if (isWhole && last === undefined) return
  const isTaken = last?.eventName === 'OperatorSet' && last.args.allowed === false
  const why = isTaken
    ? `the owner of the vault ${vault} has taken the right of ${operator}`
    : `no node tells by the logs of the vault ${vault} whether its owner has taken the right of ${operator}`
  throw new DeployRefused(
    `Chain ${chainId}: ${why}. Give --operators with all who are to operate, him among them or not; or take his key out of ` +
      'the SOLVER_ variables.',
  )
}
