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
    return onOneLine(shortenHex(clean).replace(/\b(?:https?|wss?):\/\/\S+/gi, '[redacted]'))
  }
}

/**
 * Makes a text that a node or a contract chose, which may hold anything, short and plain: on one line, without what
 * terminals would obey.
 */
export function onOneLine(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return clean.length > longestText ? `${clean.slice(0, longestText)}…` : clean
}

/** Longer than a hash: calldata, signatures and signed transactions. */
export const longHex = /0x[0-9a-f]{65,}/gi

/** Says how long such hex is, in its place. */
export function shortenHex(text: string): string {
  return text.replace(longHex, (hex) => `${hex.slice(0, 10)}…[${(hex.length - 2) / 2} bytes]`)
}

/**
 * Everything in a node's address that may tell where it is or act as a key, in the forms in which it may be said again.
 */
export function secretsIn(url: string): string[] {
  const { host, hostname, username, password, pathname, searchParams } = new URL(url)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  // What is short, such as `v1` or `rpc`, is no secret, and blanking it would garble plain words.
  const keys = [...pathname.split('/'), ...searchParams.values()].filter((key) => key.length >= 8)
  const login = [username, password].flatMap((word) => [word, decoded(word)]).filter((word) => word.length >= 4)
  // As the header Authorization has them.
  const pair = username || password ? [Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')] : []
  return [...(isLocal ? [] : [host, hostname]), ...login, ...pair, ...keys.flatMap((key) => [key, decoded(key)])]
}

/** Without its percent escapes; as it is where they are malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
