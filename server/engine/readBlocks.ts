import type { Chain } from '../chain/chain.js'

export type BlockReceipts = NonNullable<Awaited<ReturnType<Chain['blockReceipts']>>>

/**
 * The blocks after one up to the head, without a gap, so many at a time; those that come before a failure are told first.
 * What fails or is missing among several is asked for again alone, and everything after it too, since a node may not be
 * able to answer for several. Ends where a block is missing then; throws what a lone one fails with.
 */
export async function* readBlocks(
  { after, head, mostAtOnce }: { after: bigint; head: bigint; mostAtOnce: number },
  ask: (number: bigint) => Promise<BlockReceipts | null>,
): AsyncGenerator<BlockReceipts[]> {
  let atOnce = mostAtOnce
  let next = after + 1n
  while (next <= head) {
    const numbers: bigint[] = []
    for (let number = next; number <= head && numbers.length < atOnce; number++) numbers.push(number)
    const isLone = numbers.length === 1
    const blocks = await Promise.all(numbers.map((number) => (isLone ? ask(number) : ask(number).catch(() => null))))
    const found: BlockReceipts[] = []
    for (const block of blocks) {
      if (!block) break
      found.push(block)
    }
    if (found.length > 0) yield found
    if (found.length < numbers.length) {
      if (isLone) return
      atOnce = 1
    }
    next += BigInt(found.length)
  }
}
