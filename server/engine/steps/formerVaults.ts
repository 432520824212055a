import type { Hash } from 'viem'
import type { Chain } from '../../chain/chain.js'

/**
 * Whether a payout has been made under its key before the vault was replaced. The vault's own memory speaks up in each
 * simulation; what a former one has paid it does not know, so that it is asked where there is any.
 */
export async function isPaidByFormer(stepKey: Hash | null, chain: Chain): Promise<boolean> {
  const { formerVaults = [] } = chain.config
  return stepKey !== null && formerVaults.length > 0 && chain.isFulfilled(stepKey)
}
