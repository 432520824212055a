import type { RpcError } from './rpcNode.js'

/** What nodes and gateways say instead of an answer when they are asked too much, or too much at once. */

/**
 * The codes of HTTP and of proxyd. Not -32005, by which Infura and others say this and that a search finds too much: of
 * that the words decide.
 */
const limitCodes: readonly number[] = [429, -32016]
const limitWords =
  /\brate[ -]?limit|\brequest rate\b|\brate exceeded|too many requests|request (?:count|limit)|per second|\/second|capacity (?:limit )?exceeded/i

/**
 * Whether an answer has not come in time: a gateway's word for its own wait, whatever code it has (proxyd's is one for
 * reverts).
 */
export function saysLate({ message }: Pick<RpcError, 'message'>): boolean {
  return /\btime(?:d)?[ -]?out\b/i.test(message)
}

/**
 * Whether more has been asked than is allowed for now. What a contract reverts with is its own word, not the node's.
 */
export function saysLimited({ code, message }: RpcError): boolean {
  if (code === 3 || code === -32015 || /revert/i.test(message)) return false
  return limitCodes.includes(code) || limitWords.test(message)
}

/**
 * Whether fewer calls in one request would be answered, where these were not; some take ten, and some none together.
 */
export function saysTooManyTogether({ message }: Pick<RpcError, 'message'>): boolean {
  return /\bbatch/i.test(message) && !/\brate[ -]?limit|per second/i.test(message)
}
