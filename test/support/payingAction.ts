import { rpc } from '../../server/devnet/anvil.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Api } from './api.js'
import { actionOf, fund, newUser, tokenOf, transferData } from './wallets.js'

/**
 * The id of an action of a new user's who pays the vault nine; nothing of it is asked for yet. From then on the node at
 * the address mines what it is told to only.
 */
export async function payingAction(chain: ChainConfig, url: string, api: Api): Promise<string> {
  const user = newUser()
  await rpc(url, 'evm_setAutomine', [true])
  await fund(chain, user.address, { usd: 9n })
  await rpc(url, 'evm_setAutomine', [false])
  const calls = [{ to: tokenOf(chain, 'usd').address, value: 0n, data: transferData(chain.vault, 9n) }]
  const { body } = await api.post('/actions', await actionOf(user, chain, calls))
  return body.actionId as string
}
