import type { RpcError } from './rpcNode.js'

/** What nodes and gateways say instead of an answer when they are asked too much, or too much at once. */

/** Infura and Alchemy say -32005, others the HTTP status or -32016. */
const limitCodes: readonly number[] = [429, -32005, -32016]

/** Whether it has not come in time: a gateway's word for its own wait, whatever code it has (proxyd's is one for reverts). */
export function saysLate({ message }: Pick<RpcError, 'message'>): boolean {
  return /\btime(?:d)?[ -]?out\b/i.test(message)
}

/** Whether more has been asked than is allowed for now. What a contract reverts with is its own word, not the node's. */
export function saysLimited({ code, message }: RpcError): boolean {
  if (code === 3 || /revert/i.test(message)) return false
  return limitCodes.includes(code) || /\brate[ -]?limit|too many requests|capacity (?:limit )?exceeded/i.test(message)
}

/** Whether fewer calls in one request would be answered, where these were not; some take ten, and some none together. */
export function saysTooManyTogether({ message }: Pick<RpcError, 'message'>): boolean {
  return /\bbatch/i.test(message) && !/\brate[ -]?limit|per second/i.test(message)
}
