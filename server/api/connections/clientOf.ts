import { isIP, isIPv6 } from 'node:net'
import type { Context } from 'koa'

/** Who asks: whom the proxies that are believed name, or else who is connected. */
export function askingClient(ctx: Context): string {
  return clientOf(ctx.ip, ctx.req.socket.remoteAddress ?? '')
}

/**
 * Which client a request comes from. Of IPv6 it is the network of 64 bits, since whoever has one address has all of
 * those; what is no address (a proxy may pass on anything) is the proxy.
 */
export function clientOf(stated: string, peer: string): string {
  const bare = stated.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1').replace(/^\[(.*)\](:\d+)?$/, '$1')
  const ip = [bare, peer].map((text) => text.replace(/%.*$/, '')).find(isIP) ?? 'unknown'
  return isIPv6(ip) ? networkOf(ip) : ip
}

function networkOf(ip: string): string {
  // Written in the one way that URLs have, so that other spellings of it are the same client.
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::')
  const words = (text = '') => text.split(':').filter((word) => word !== '')
  const [before, after] = [words(head), words(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const all = [...before, ...zeros, ...after].map((word) => Number.parseInt(word, 16))
  // An IPv4 client of a socket that takes both.
  const isMapped = all.slice(0, 5).every((word) => word === 0) && all[5] === 0xffff
  if (isMapped) return [all[6]! >> 8, all[6]! & 255, all[7]! >> 8, all[7]! & 255].join('.')
  return `${all
    .slice(0, 4)
    .map((word) => word.toString(16))
    .join(':')}::/64`
}
