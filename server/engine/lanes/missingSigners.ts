import type { Address } from 'viem'
import { elapsedMs } from '../../domain/elapsed.js'
import type { EngineTools } from '../tools.js'

const checkEveryMs = 30_000

/**
 * Looks now and then for open transactions of signers whose keys are not configured (any more), and tells the log once
 * of each signer: the bytes of its transactions are sent again, but nothing can replace them.
 */
export function createMissingSignerCheck(
  chainId: number,
  tools: Pick<EngineTools, 'store' | 'signers' | 'log' | 'now'>,
) {
  let told = new Set<Address>()
  let checkedAt = -Infinity

  return async function check(): Promise<void> {
    if (elapsedMs(checkedAt, tools.now()) < checkEveryMs) return
    checkedAt = tools.now()
    const open = await tools.store.countOpenOf(chainId)
    const missing = [...open].filter(([signer]) => !tools.signers.has(signer))
    for (const [signer, transactions] of missing) {
      if (told.has(signer)) continue
      tools.log.error(
        { chainId, signer, transactions },
        'a signer has open transactions and its key is not configured: put it back until they are final',
      )
    }
    told = new Set(missing.map(([signer]) => signer))
  }
}
