import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { isVault } from '../../domain/chainConfig.js'
import type { EngineTools } from '../tools.js'

/**
 * An operator may pay because the vault lets him, and the vault's owner takes that right when a key has leaked. Calls
 * of the vault are signed by operators only that have the right; the lanes of the others go on with their open
 * transactions.
 */

/** Asks the vault which of the signers are its operators. */
export async function checkOperators(
  chain: Chain,
  tools: Pick<EngineTools, 'signers' | 'refusedOperators' | 'log'>,
): Promise<void> {
  const { chainId, vault } = chain.config
  const signers = [...tools.signers.keys()]
  const areOperators = await chain.areOperators(signers)
  const before = tools.refusedOperators.get(chainId)
  const refused = new Set(signers.filter((_signer, index) => !areOperators[index]))
  for (const signer of signers) {
    if (refused.has(signer) === (before?.has(signer) ?? false)) continue
    if (refused.has(signer)) tools.log.error({ chainId, signer, vault }, 'the vault does not know the operator')
    else tools.log.info({ chainId, signer, vault }, 'the vault knows the operator again')
  }
  tools.refusedOperators.set(chainId, refused)
}

/**
 * Whether the vault did not know the operator when it was last asked. One that it was not asked about counts as known.
 */
export function isRefused(chain: Chain, signer: Address, tools: Pick<EngineTools, 'refusedOperators'>): boolean {
  return tools.refusedOperators.get(chain.config.chainId)?.has(signer) ?? false
}

/** Whether there is an operator that may call the vault. */
export function hasOperator(chain: Chain, tools: Pick<EngineTools, 'signers' | 'refusedOperators'>): boolean {
  return !isRefused(chain, anOperator(chain, tools), tools)
}

/** The operator in whose name a payout is simulated: one that the vault knows, if there is any. */
export function anOperator(chain: Chain, tools: Pick<EngineTools, 'signers' | 'refusedOperators'>): Address {
  const signers = [...tools.signers.keys()]
  return signers.find((signer) => !isRefused(chain, signer, tools)) ?? signers[0]!
}

/**
 * Whether a revert is the operator's fault and not the step's. Only the vault knows operators, and it is asked itself:
 * a user's account or contract may revert with what looks the same. A former vault may know no operators any more: the
 * present one does then what it was to do.
 */
export async function isOperatorsFault(
  failure: { name: string | null },
  { from, to }: { from: Address; to: Address },
  chain: Chain,
  tools: Pick<EngineTools, 'signers' | 'refusedOperators' | 'log'>,
): Promise<boolean> {
  if (failure.name !== 'NotOperator' || !isVault(to, chain.config)) return false
  if (to !== chain.config.vault) return true
  await checkOperators(chain, tools)
  if (tools.signers.has(from)) return isRefused(chain, from, tools)
  // The operator's key has been taken out of the configuration, as is done with one that is lost.
  const [isOperator] = await chain.areOperators([from])
  return !isOperator
}
