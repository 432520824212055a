const longestText = 300

/**
 * Makes what nodes and transports say fit for logs and errors: without the addresses of nodes and the credentials in
 * them, without raw transactions, and short.
 */
export function createRedactor(urls: readonly string[]): (text: string) => string {
  const secrets = urls.flatMap(secretsIn).sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const secret of secrets) clean = clean.replaceAll(secret, '[redacted]')
    clean = clean
      .replace(/\b(?:https?|wss?):\/\/\S+/gi, '[redacted]')
      // Longer than a hash: calldata, signatures and signed transactions.
      .replace(/0x[0-9a-f]{65,}/gi, (hex) => `${hex.slice(0, 10)}…[${(hex.length - 2) / 2} bytes]`)
      // A decoded revert may hold anything a contract chose.
      .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .trim()
    return clean.length > longestText ? `${clean.slice(0, longestText)}…` : clean
  }
}

/** Everything in a node's address that may tell where it is or act as a key. */
function secretsIn(url: string): string[] {
  const { host, hostname, username, password, pathname, searchParams } = new URL(url)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  // What is short, such as `v1` or `rpc`, is no secret, and blanking it would garble plain words.
  const keys = [...pathname.split('/'), ...searchParams.values()].filter((key) => key.length >= 8)
  const login = [username, password].filter((word) => word.length >= 4)
  return [...(isLocal ? [] : [host, hostname]), ...login, ...keys]
}
