import { saysLate } from './busyNode.js'
import type { RpcError } from './rpcNode.js'

/** How revm (anvil, reth) names what ends a call; what its database fails at comes with the same words before it. */
const revmHalt =
  /EVM error:? (?:OutOf(?:Gas|Offset|Funds?)|\w+OOG|Invalid\w+|OpcodeNotFound|NotActivated|Stack\w+|Call(?:TooDeep|NotAllowed\w*)|Create\w+|Precompile\w+|StateChange\w+|(?:Nonce)?Overflow\w*)\b/

/**
 * Whether an error is the EVM's verdict rather than a fault of the node. Code 3 is geth's for a revert, -32015 that of
 * several for any, and of proxyd for a node that has not answered it in time.
 */
export function isRevert({ code, message, data }: RpcError): boolean {
  return (
    code === 3 ||
    (code === -32015 && !saysLate({ message })) ||
    /revert|out of gas|gas required exceeds|always failing transaction|vm execution error|stack (?:under|over)flow/i.test(
      message,
    ) ||
    /invalid opcode|invalid jump|opcode .* not defined|execution failed|write protection/i.test(message) ||
    /return data out of bounds|gas uint64 overflow|stack limit reached|max call depth exceeded/i.test(message) ||
    revmHalt.test(message) ||
    (typeof data === 'string' && /^Reverted 0x/.test(data)) ||
    isRevertData(data)
  )
}

/**
 * Whether it is revert data: hex and nothing else. A node that tells what it can't do may end its words with the code
 * that it was given.
 */
function isRevertData(data: unknown): boolean {
  if (typeof data === 'object' && data !== null) return isRevertData((data as { data?: unknown }).data)
  return typeof data === 'string' && /^0x(?:[0-9a-f]{2})+$/i.test(data)
}
