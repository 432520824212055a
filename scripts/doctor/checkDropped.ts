import { getAddress } from 'viem'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { readKnownDeployment } from '../../server/start/knownDeployment.js'
import type { Database } from '../../server/store/connection/database.js'
import { createFindings, type Finding } from './finding.js'

/** What the service has worked with and the chains file names no more: the service would not start, or forget it. */
export async function checkDropped(chains: readonly ChainConfig[], database: Database): Promise<Finding[]> {
  const { list, fault, warn } = createFindings('chains file')
  const { refused, allowed, unconfiguredCredit } = await readKnownDeployment(database, chains)
  for (const { kind, what, remedy } of refused) {
    fault(kind === 'funder' ? 'funder.isUser' : `${kind}.dropped`, what, remedy)
  }
  for (const { kind, what } of allowed) {
    warn(
      `${kind}.dropped`,
      what,
      'Put it back, if it was taken out by mistake; the service forgets it at its next start.',
    )
  }
  for (const { chainId, address, users, amount } of unconfiguredCredit) {
    const what = `${users} users have a credit of ${amount} in ${getAddress(address)} of chain ${chainId} (in its smallest unit), which is named no more: nothing can be paid from it`
    warn('credit.unconfigured', what, 'Put the token back, so that they can have it paid out, or settle it with them.')
  }
  return list
}
