import type { Hash } from 'viem'
import type { Chain } from '../../chain/chain.js'

/**
 * Whether a payout has been made under its key before the vault was replaced. What the present vault has paid shows in
 * each simulation. What a former one has paid the present one does not know, so that the chain is asked where there are
 * former vaults.
 */
export async function isPaidByFormer(stepKey: Hash | null, chain: Chain): Promise<boolean> {
  const { formerVaults = [] } = chain.config
  return stepKey !== null && formerVaults.length > 0 && chain.isFulfilled(stepKey)
}
