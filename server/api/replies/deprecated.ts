/** What to use instead of a deprecated operation where its reply knows nothing nearer. */
const successor = '/actions'

/**
 * The headers of every reply of a deprecated operation, refusals included: since when it is deprecated (RFC 9745),
 * which is since the first release, and what to use instead (RFC 5829).
 */
export function deprecated(successorOfReply = successor): { Deprecation: string; Link: string } {
  return { Deprecation: '@1763596800', Link: `<${successorOfReply}>; rel="successor-version"` }
}
