import type { Hash } from 'viem'
import type { Block } from '../../chain/chain.js'
import { least } from '../../domain/bigints.js'

/** Further behind than this, transactions are looked up by hash instead of reading every block. */
const maxBlocksAtOnce = 64n

type Place = Pick<Block, 'number' | 'hash' | 'parentHash'>

/**
 * How far the blocks of a chain have been read, and which those were. `confirmations`: how deep reorganisations
 * commonly go.
 */
export function createBlocksRead(confirmations: number) {
  /** The last block that was read; null: none was yet. Its hash is null where only the blocks after it matter. */
  let last: { number: bigint; hash: Hash | null } | null = null
  /** The hashes of the newest blocks that were read, by number. */
  const known = new Map<bigint, Hash>()

  return {
    /** The number of the last block that was read; null: none was yet. */
    last: (): bigint | null => last?.number ?? null,

    isLast: ({ hash }: Pick<Block, 'hash'>): boolean => last?.hash === hash,

    /**
     * The blocks after this number are to be read, up to the head. Older ones are left to those who look for
     * transactions by hash.
     */
    after(head: Place): bigint {
      const isBehind = last !== null && head.number < last.number && known.get(head.number) !== head.hash
      if (last === null || isBehind || head.number - last.number > maxBlocksAtOnce) goBack(head.number - 1n)
      return last!.number
    },

    /**
     * Says that these blocks have been read, and that all in them is dealt with. Where they do not follow on what was
     * read before, that is read again.
     */
    note(blocks: readonly Place[]): void {
      const [first] = blocks
      const isElsewhere = first && last?.hash && first.number === last.number + 1n && first.parentHash !== last.hash
      if (isElsewhere) return this.exchanged(first)
      for (const { number, hash } of blocks) {
        last = { number, hash }
        known.set(number, hash)
      }
      for (const number of known.keys()) if (number <= last!.number - maxBlocksAtOnce) known.delete(number)
    },

    /** Says that nothing up to this block concerns anybody. */
    skip({ number, hash }: Place): void {
      last = { number, hash }
    },

    /** The chain has reorganised below this head: what is looked for may be in other blocks of the same numbers. */
    exchanged({ number, hash, parentHash }: Place): void {
      if (last === null) return
      // A node that is a block behind another has exchanged no block. Where the chain has become shorter, other blocks
      // will follow on this one.
      if (known.get(number) === hash) {
        if (number < last.number) last = { number, hash }
        return
      }
      const deepest = least(number, last.number) - least(BigInt(confirmations) + 1n, maxBlocksAtOnce)
      const common = known.get(number - 1n) === parentHash ? number - 1n : deepest
      goBack(least(common, last.number))
    },
  }

  function goBack(number: bigint): void {
    last = { number: number < -1n ? -1n : number, hash: null }
  }
}
