/** What a deprecated operation is to be replaced with where no nearer one is known. */
const successor = '/actions'

/**
 * What every reply of a deprecated operation says, a refusal too: since when (RFC 9745), which is since the first release,
 * and what to use instead (RFC 5829).
 */
export function deprecated(successorOfReply = successor): { Deprecation: string; Link: string } {
  return { Deprecation: '@1763596800', Link: `<${successorOfReply}>; rel="successor-version"` }
}
