import type { RpcError } from './rpcNode.js'

/** Whether a node says that it has no pending block. */
export function saysNoPendingBlock({ message }: RpcError): boolean {
  return /pending (?:block|state)?\s*(?:is )?(?:not (?:available|found|supported)|unavailable)/i.test(message)
}
