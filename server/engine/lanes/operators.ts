import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { isVault } from '../../domain/chainConfig.js'
import type { EngineTools } from '../tools.js'

/**
 * An operator's right is the vault's to give, and the owner takes it when a key has leaked. What the vault is to do is
 * given only to operators that have it; the others' lanes go on with what is open.
 */

/** Asks the vault which of the signers are its operators. */
export async function checkOperators(chain: Chain, tools: EngineTools): Promise<void> {
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

/** What the vault said when it was last asked. Of one that it was not asked about nothing is known to be wrong. */
export function isRefused(chain: Chain, signer: Address, tools: Pick<EngineTools, 'refusedOperators'>): boolean {
  return tools.refusedOperators.get(chain.config.chainId)?.has(signer) ?? false
}

/** Whether the vault can be asked for anything. */
export function hasOperator(chain: Chain, tools: Pick<EngineTools, 'signers' | 'refusedOperators'>): boolean {
  return !isRefused(chain, anOperator(chain, tools), tools)
}

/** In whose name a payout is tried out: one that the vault knows, if there is any. */
export function anOperator(chain: Chain, tools: Pick<EngineTools, 'signers' | 'refusedOperators'>): Address {
  const signers = [...tools.signers.keys()]
  return signers.find((signer) => !isRefused(chain, signer, tools)) ?? signers[0]!
}

/**
 * Whether a revert is the operator's fault and not the step's. Only the vault knows operators, and it is asked itself: what
 * a user's account or contract reverts with may look the same. A former vault may know none any more: what it was to do the
 * vault does.
 */
export async function isOperatorsFault(
  failure: { name: string | null },
  { from, to }: { from: Address; to: Address },
  chain: Chain,
  tools: EngineTools,
): Promise<boolean> {
  if (failure.name !== 'NotOperator' || !isVault(to, chain.config)) return false
  if (to !== chain.config.vault) return true
  await checkOperators(chain, tools)
  if (tools.signers.has(from)) return isRefused(chain, from, tools)
  // Its key has been taken out of the configuration, as one that is lost is.
  const [isOperator] = await chain.areOperators([from])
  return !isOperator
}
