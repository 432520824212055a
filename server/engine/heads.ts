import type { Chain } from '../chain/chain.js'
import type { EngineTools } from './tools.js'

/** The newest head that is known, asked for only when none is. */
export async function headOf(chain: Chain, tools: Pick<EngineTools, 'heads'>) {
  const known = tools.heads.get(chain.config.chainId)
  if (known) return known
  const head = await chain.head()
  tools.heads.set(chain.config.chainId, head)
  return head
}
