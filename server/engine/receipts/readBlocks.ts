import type { Block, Chain } from '../../chain/chain.js'

export type BlockReceipts = NonNullable<Awaited<ReturnType<Chain['blockReceipts']>>>

/**
 * The blocks after one up to the head, without a gap, so many at a time; those that come before a failure are told
 * first. A block that fails or is missing among several is asked for again alone, and each one after it too, since a
 * node may not be able to answer for several. Ends where a block that is asked for alone is missing; throws what it
 * fails with.
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

/** Which of the blocks that were read are of one chain. */
type Linked = {
  /** Each is the parent of the next one. */
  linked: BlockReceipts[]
  /** The linked blocks are known to lie under the head, however deep; else the head is too far above them to say so. */
  isUnderHead: boolean
  /** The blocks from the first on that are in no doubt. From there on the chain has to be asked again what it has. */
  unbroken: BlockReceipts[]
}

/**
 * Compares blocks that were read one after the other with each other, and with the head from which their depth is
 * counted. Nodes, or those behind one gateway, may be on either side of a reorganisation, so that a block's number says
 * nothing.
 */
export function linkBlocks(found: readonly BlockReceipts[], head: Block): Linked {
  const top = found.at(-1)?.block ?? head
  const isUnderHead = top.number >= head.number - 1n
  let expected = isUnderHead ? [head.hash, head.parentHash] : [top.hash]
  const linked = found.toReversed().filter(({ block }) => {
    const fits = expected.includes(block.hash)
    if (fits) expected = [block.parentHash]
    return fits
  })
  linked.reverse()
  return { linked, isUnderHead, unbroken: found.slice(0, firstInDoubt(found, linked)) }
}

/**
 * The place of the first block in doubt. Where a block does not name the one below it as its parent, that is the lower
 * one, whichever of the two is another chain's; else the first that is not linked.
 */
function firstInDoubt(found: readonly BlockReceipts[], linked: readonly BlockReceipts[]): number {
  const gap = found.findIndex(({ block }, index) => index > 0 && block.parentHash !== found[index - 1]!.block.hash)
  if (gap !== -1) return gap - 1
  const loose = found.findIndex((one) => !linked.includes(one))
  return loose === -1 ? found.length : loose
}

/**
 * Whether the block that was read ahead is the one of that number for certain. Nodes may answer out of order, and the
 * chain may have reorganised before the head was told; a head does not say which blocks lie further down.
 */
export function isUnder(head: Block, ahead: Block, number: bigint): boolean {
  if (ahead.number !== number) return false
  return ahead.hash === head.hash || (number === head.number - 1n && ahead.hash === head.parentHash)
}
