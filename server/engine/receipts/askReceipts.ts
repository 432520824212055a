import type { Hash } from 'viem'
import type { Chain, Receipt } from '../../chain/chain.js'
import type { EngineTools } from '../tools.js'

/**
 * Receipts in the order of their hashes. Null: there is none. Undefined: no node tells, as some that answer with an
 * error while they index; the others are told all the same. Throws where no receipt is told at all.
 */
export async function askReceipts(
  hashes: readonly Hash[],
  chain: Chain,
  log: EngineTools['log'],
): Promise<(Receipt | null | undefined)[]> {
  return chain.receipts(hashes).catch(async (error: unknown) => {
    if (hashes.length === 1) throw error
    const alone = await Promise.allSettled(hashes.map((hash) => chain.receipts([hash])))
    const told = alone.map((answer) => (answer.status === 'fulfilled' ? answer.value[0]! : undefined))
    const unanswered = told.filter((receipt) => receipt === undefined).length
    if (unanswered === hashes.length) throw error
    const fields = { err: error, chainId: chain.config.chainId, unanswered, asked: hashes.length }
    log.warn(fields, 'not all receipts were told')
    return told
  })
}
