import type { Chain } from '../../chain/chain.js'
import { sendStored } from './send.js'
import type { EngineTools } from '../tools.js'

/**
 * Sends transactions that were queued until others of their lane were mined. Nobody waits for the answers, which may
 * take as long as the slowest node: blocks go on being read.
 */
export function createQueuedSends(chain: Chain, tools: EngineTools) {
  const { chainId } = chain.config
  const underWay = new Set<Promise<void>>()

  return {
    /** To be called in every round, once it is noted what the new blocks have taken. */
    check(): void {
      const sent = sendReleased()
        // They are found again once they are due by themselves.
        .catch((error: unknown) => tools.log.warn({ err: error, chainId }, 'what was held was not sent'))
        .finally(() => underWay.delete(sent))
      underWay.add(sent)
    },
    async stop(): Promise<void> {
      await Promise.all(underWay)
    },
  }

  async function sendReleased(): Promise<void> {
    const released = await tools.sendWindow.takeReleased(chainId)
    const queued = await Promise.all(released.map((at) => tools.store.readUnmined(at)))
    await Promise.all(queued.map((transaction) => transaction && sendStored(transaction, chain, tools)))
  }
}
