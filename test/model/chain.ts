import type { Address, Hash } from 'viem'
import type { ModelStep } from './actions.js'

/** The chains as the model knows them: which blocks stand, what is in them, and what a reorganisation takes away. */

export type ChainId = 1 | 2

export type Block = {
  chainId: ChainId
  number: number
  hash: Hash
  isGone: boolean
  transfers: Transfer[]
  inclusions: Inclusion[]
}

/** Money that a user moves into the vault on chain 1 by himself, or that its owner pays him there. */
export type Transfer = {
  kind: 'payment' | 'withdrawal'
  hash: Hash
  user: Address
  amount: bigint
  /** Null: not mined. */
  block: Block | null
}

/** What a transaction calls for one step; the contracts do it once under each key. */
export type StepCall = { key: Hash; step: ModelStep }

/** A transaction on chain 2 that carries steps. */
export type StepTransaction = {
  /** Its place in the journal; null where a stranger has sent it. */
  id: number | null
  hash: Hash
  calls: StepCall[]
  block: Block | null
}

/** What a transaction has done in the block that it is in. */
export type Inclusion = {
  transaction: StepTransaction
  /** Those of its calls that took effect. */
  done: StepCall[]
  /** The vault has paid, but the account has not run its batch. */
  isUnrun: boolean
}

export type Chains = ReturnType<typeof createChains>

export function createChains(nextHash: (subject: string) => Hash) {
  const standing: Record<ChainId, Block[]> = { 1: [], 2: [] }
  const blocks: Block[] = []
  return { newBlock, newestBlock, transfer, include, inclusionOf, effects, reorganise, goneBlocks, everIncluded }

  function newBlock(chainId: ChainId): Block {
    const number = 10 + standing[chainId].length
    const block = { chainId, number, hash: nextHash('block'), isGone: false, transfers: [], inclusions: [] }
    standing[chainId].push(block)
    blocks.push(block)
    return block
  }

  function newestBlock(chainId: ChainId): Block | undefined {
    return standing[chainId].at(-1)
  }

  function transfer(moved: Transfer): Block {
    const block = newBlock(1)
    block.transfers.push(moved)
    moved.block = block
    return block
  }

  function include(block: Block, inclusion: Inclusion): void {
    for (const { key } of inclusion.done) if (effects().has(key)) throw new Error('The model does something twice')
    block.inclusions.push(inclusion)
    inclusion.transaction.block = block
  }

  /** Undefined: it is in no block. */
  function inclusionOf(transaction: StepTransaction): (Inclusion & { block: Block }) | undefined {
    const { block } = transaction
    const inclusion = block?.inclusions.find((entry) => entry.transaction === transaction)
    return block && inclusion ? { ...inclusion, block } : undefined
  }

  /** What the contracts remember: which transaction has done what is known by a key. */
  function effects(): Map<Hash, StepTransaction> {
    const done = standing[2].flatMap((block) => block.inclusions)
    return new Map(done.flatMap((inclusion) => inclusion.done.map(({ key }) => [key, inclusion.transaction])))
  }

  /** The newest blocks are gone, with all that was in them; it may be mined again. */
  function reorganise(chainId: ChainId, depth: number): Block[] {
    const gone = standing[chainId].splice(Math.max(0, standing[chainId].length - depth))
    for (const block of gone) {
      block.isGone = true
      for (const moved of block.transfers) moved.block = null
      for (const { transaction } of block.inclusions) transaction.block = null
    }
    return gone
  }

  function goneBlocks(): Block[] {
    return blocks.filter(({ isGone }) => isGone)
  }

  function everIncluded(): Inclusion[] {
    return blocks.flatMap(({ inclusions }) => inclusions)
  }
}
