import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import type { Store } from '../../server/store/store.js'

/** Has a lane be held against its chain no more: its key can pay nothing from the vault, whoever has it. */
export async function retire(chain: Chain, signer: Address, store: Store): Promise<string> {
  const { chainId } = chain.config
  const [isOperator] = await chain.areOperators([signer])
  if (isOperator)
    throw new Error(`The vault knows ${signer} as an operator: let its owner call setOperator(${signer}, false)`)
  if (!(await store.retireLane({ chainId, signer }, Date.now())))
    throw new Error(`There is no lane of ${signer} on chain ${chainId}, or transactions of it are open`)
  return `The lane of ${signer} on chain ${chainId} is retired for good.`
}
