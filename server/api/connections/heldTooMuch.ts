/** Something that the process keeps in memory for a client. */
export type Held = { client: string; bytes: number }

/**
 * What to give up so that no more than `mostBytes` are held in all: of the client that holds most, what is held for
 * longest, and so on until it is enough. A client that holds little loses nothing, however much another makes the
 * process hold. `held` begins with what is held for longest.
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
