import type { RpcError } from './rpcNode.js'

/** -32004 is EIP-1474's, 4200 EIP-1193's; gateways (Alchemy, proxyd, Infura) refuse methods in words of their own. */
const codes = [-32601, -32004, 4200]
const words = [
  /method .*(?:not found|not supported|not available|does not exist|not enabled|not allowed|not whitelisted|disabled)/i,
  /(?:unsupported|unknown) (?:rpc )?method/i,
]

/** Whether a node or gateway says that it does not offer the method, rather than that the call has failed. */
export function saysNoSuchMethod({ code, message }: RpcError): boolean {
  return codes.includes(code) || words.some((said) => said.test(message))
}
