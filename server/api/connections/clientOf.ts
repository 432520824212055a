import { isIP, isIPv6 } from 'node:net'
import type { Context } from 'koa'

/** The client of a request: the address that trusted proxies state, or else that of the connection. */
export function askingClient(ctx: Context): string {
  return clientOf(ctx.ip, ctx.req.socket.remoteAddress ?? '')
}

/**
 * Which client a request comes from, by the address that proxies state and that of the connection. An IPv6 client is
 * its network of 64 bits, since whoever has one address has all of those. Where `stated` is no address (a proxy may
 * pass on anything), the proxy itself counts as the client.
 */
export function clientOf(stated: string, peer: string): string {
  const bare = stated.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1').replace(/^\[(.*)\](:\d+)?$/, '$1')
  const ip = [bare, peer].map((text) => text.replace(/%.*$/, '')).find(isIP) ?? 'unknown'
  return isIPv6(ip) ? networkOf(ip) : ip
}

function networkOf(ip: string): string {
  // URLs have one spelling for each address, so that all spellings of an address are the same client.
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::')
  const words = (text = '') => text.split(':').filter((word) => word !== '')
  const [before, after] = [words(head), words(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const all = [...before, ...zeros, ...after].map((word) => Number.parseInt(word, 16))
  // An IPv4 client on a socket that takes both IPv4 and IPv6.
  const isMapped = all.slice(0, 5).every((word) => word === 0) && all[5] === 0xffff
  if (isMapped) return [all[6]! >> 8, all[6]! & 255, all[7]! >> 8, all[7]! & 255].join('.')
  return `${all
    .slice(0, 4)
    .map((word) => word.toString(16))
    .join(':')}::/64`
}
