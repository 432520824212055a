/** What the process keeps in memory for a client. */
export type Held = { client: string; bytes: number }

/**
 * What is to be given up so that no more than so many bytes are held: of whoever holds most, what he has held for
 * longest, and so on. Who holds little keeps it, however much another has the process hold. `held` is in the order in
 * which it began.
 */
export function heldTooMuch<One extends Held>(held: Iterable<One>, mostBytes: number): One[] {
  const clients = byClient(held)
  let bytes = clients.reduce((sum, client) => sum + client.bytes, 0)
  const tooMuch: One[] = []
  while (bytes > mostBytes) {
    const heaviest = clients.reduce((one, other) => (other.bytes > one.bytes ? other : one))
    const oldest = heaviest.held.shift()!
    heaviest.bytes -= oldest.bytes
    bytes -= oldest.bytes
    tooMuch.push(oldest)
  }
  return tooMuch
}

type Client<One> = { bytes: number; held: One[] }

function byClient<One extends Held>(held: Iterable<One>): Client<One>[] {
  const clients = new Map<string, Client<One>>()
  for (const one of held) {
    if (one.bytes === 0) continue
    const client = clients.get(one.client) ?? { bytes: 0, held: [] }
    client.bytes += one.bytes
    client.held.push(one)
    clients.set(one.client, client)
  }
  return [...clients.values()]
}
