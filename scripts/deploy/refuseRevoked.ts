import type { Address, PublicClient } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { DeployRefused } from './deployRefused.js'

/**
 * Throws where the vault's owner has taken the operator's right, or no node searches the vault's logs for that: a key that is
 * still among the service's may be one that has leaked.
 */
export async function refuseRevoked(
  { chainId, vaultBlock = 0 }: ChainConfig,
  vault: Address,
  operator: Address,
  reader: PublicClient,
): Promise<void> {
  const given = { address: vault, abi: solverVaultAbi, eventName: 'OperatorSet', args: { operator } } as const
  const logs = await reader.getContractEvents({ ...given, fromBlock: BigInt(vaultBlock) }).catch(() => null)
  const last = logs?.at(-1)?.args.allowed
  if (logs !== null && last !== false) return
  const why =
    logs === null
      ? `no node searches the vault's logs, so that nobody knows whether its owner has taken the right of ${operator}`
      : `the vault's owner has taken the right of ${operator}`
  throw new DeployRefused(
    `Chain ${chainId}: ${why}. Give --operators with all who are to operate, him among them or not; or take his key out of ` +
      'the SOLVER_ variables.',
  )
}
