import { rpc } from './anvil.js'

const lookEachMs = 500
/** The most gas that a transaction asks for (EIP-7825). */
const mostGas = 16_777_216n

type Head = { hash: string; gasUsed: string; gasLimit: string }

/**
 * Has a chain that mines at once mine what a full block has left over: anvil makes a block when a transaction comes,
 * and what did not fit into that waits until another one comes, which may be never. The answer ends it.
 */
export function mineLeftOvers(url: string): () => void {
  let before: string | null = null
  let isLooking = false

  const look = async () => {
    const head = (await rpc(url, 'eth_getBlockByNumber', ['latest', false])) as Head
    const isStill = head.hash === before
    before = head.hash
    // Where there was room for whatever came, what still waits does so for another reason.
    if (!isStill || BigInt(head.gasLimit) - BigInt(head.gasUsed) >= mostGas) return
    const { pending } = (await rpc(url, 'txpool_status', [])) as { pending: string }
    if (Number(pending) > 0 && (await rpc(url, 'anvil_getAutomine', []))) await rpc(url, 'evm_mine', [])
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    // A chain that does not answer now is looked at again.
    void look()
      .catch(() => undefined)
      .finally(() => (isLooking = false))
  }, lookEachMs)
  timer.unref()
  return () => clearInterval(timer)
}
