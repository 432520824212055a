import type { Address, Hex } from 'viem'
import type { Block, Chain } from '../../chain/chain.js'
import { type ChainAuthorization, isSameStep } from '../../domain/action.js'
import { least } from '../../domain/bigints.js'
import { elapsedMs } from '../../domain/elapsed.js'
import type { StepWork } from '../../store/actions/steps.js'
import { headOf } from '../heads.js'
import { noLane, type Outgoing, record, recordAndSend } from '../lanes/record.js'
import { sendStored } from '../lanes/send.js'
import { hasOperator } from '../lanes/operators.js'
import type { EngineTools } from '../tools.js'
import { moved, type Visit, waits } from '../visit.js'

/** A step that is ready to be sent: simulated, its credit set aside. */
export type ReadyStep = {
  work: StepWork
  chain: Chain
  /** The call that it would be sent as by itself. */
  to: Address
  data: Hex
  gasLimit: bigint
  /** The part of the limit that is not for the authorization. */
  callGasLimit: bigint
  authorization: ChainAuthorization | null
  /** Whose calls run in it. Null: nobody's, it only pays. */
  account: Address | null
  /** It has failed in a bundle before, and goes by itself. */
  alone: boolean
}

export type BundleSettings = {
  /** How many steps go into one transaction at most; 1 sends every step by itself. */
  maxSteps: number
  /** How long a step waits for the next one, in milliseconds, while one is on its way; 0 is not at all. */
  waitMs: number
}

export type Bundles = ReturnType<typeof createBundles>

/**
 * For how long no bundle is made after one that has failed as a whole. What fails it (a vault that knows no bundles, an
 * operator that the vault does not know) fails the next one too, and each costs its gas and brings nothing.
 */
const restMs = 60_000
/**
 * For how long bundles cost no more than half of what nodes have refused for its total fee; then a larger one is tried.
 */
const cheapMs = 600_000
/** Nodes refuse transactions above 128 KiB; authorizations and the signature need some of it. */
const mostBytes = 96 * 1024
/**
 * How long a step waits for a bundle. With that bundle's turn at the lane and its signature, it is less than the lease
 * of a step.
 */
const patienceMs = 5_000

/**
 * Collects the ready steps of each chain into bundles.
 * States of a collection: empty → growing (steps are on their way and keep coming) → due (no step is on its way, or the
 * next one takes too long; it still grows while every lane is busy recording another bundle) → recorded in the journal
 * and sent. Steps that did not fit stay due, and those that have waited too long for that are visited again. A step
 * that comes makes a due collection grow again. Nothing of this outlives the process or has to: a step that the journal
 * does not have is visited again.
 */
export function createBundles(settings: BundleSettings, tools: () => EngineTools) {
  const collections = new Map<number, Collection>()
  let hasStopped = false

  return {
    /** Announces a step that is being prepared. Call what it returns once the step has come, or will not come. */
    expect(chainId: number): () => void {
      const collection = collectionOf(chainId)
      collection.expected += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        collection.expected -= 1
        if (collection.expected === 0) makeDue(collection)
      }
    },

    /** Says that a bundle has failed as a whole. */
    failed(chainId: number): void {
      collectionOf(chainId).failedAt = tools().now()
    },

    /** Says that nodes refuse a bundle for what it may cost in all, in wei. */
    tooDear(chainId: number, cost: bigint): void {
      collectionOf(chainId).refused = { cost, at: tools().now() }
    },

    /** Sends a step, with others or by itself. */
    send(step: ReadyStep): Promise<Visit> {
      if (hasStopped) return Promise.resolve(waits(0))
      const { failedAt } = collectionOf(step.chain.config.chainId)
      const isResting = elapsedMs(failedAt, tools().now()) < restMs || !hasOperator(step.chain, tools())
      if (settings.maxSteps === 1 || step.alone || isResting) return recordAndSend(loneOf(step), tools())
      const collection = collectionOf(step.chain.config.chainId)
      return new Promise((resolve, reject) => {
        collection.waiting.push({ step, share: shareOf(step), since: tools().now(), resolve, reject })
        collection.isDue = false
        clearTimeout(collection.timer)
        collection.timer = setTimeout(() => makeDue(collection), settings.waitMs)
        closeIfDue(collection)
      })
    },

    /** Leaves steps that no bundle has taken yet, and those that still come, to whoever finds them due. */
    stop(): void {
      hasStopped = true
      for (const collection of collections.values()) {
        clearTimeout(collection.timer)
        letGo(collection, () => true, waits(0))
      }
    },
  }

  function collectionOf(chainId: number): Collection {
    const known = collections.get(chainId)
    if (known) return known
    const idle = { waiting: [], expected: 0, recording: 0, isDue: false, timer: undefined }
    const collection: Collection = { ...idle, failedAt: -Infinity, refused: null }
    collections.set(chainId, collection)
    return collection
  }

  function makeDue(collection: Collection): void {
    clearTimeout(collection.timer)
    collection.isDue = collection.waiting.length > 0
    closeIfDue(collection)
  }

  /**
   * Sends a bundle if it is due. Where every lane is busy it would have to wait for its turn anyway, and may as well
   * grow meanwhile.
   */
  function closeIfDue(collection: Collection): void {
    const now = tools().now()
    letGo(collection, ({ since }) => elapsedMs(since, now) > patienceMs, noLane)
    const isDue = collection.isDue || collection.waiting.length >= settings.maxSteps
    if (!isDue || collection.waiting.length === 0 || collection.recording >= tools().signers.size) return
    collection.recording += 1
    let isOver = false
    const freeLane = () => {
      if (isOver) return
      isOver = true
      collection.recording -= 1
      closeIfDue(collection)
    }
    void sendNext(collection, freeLane).finally(freeLane)
  }

  function letGo(collection: Collection, which: (entry: Waiting) => boolean, visit: Visit): void {
    const gone = collection.waiting.filter(which)
    collection.waiting = collection.waiting.filter((entry) => !gone.includes(entry))
    for (const { resolve } of gone) resolve(visit)
  }

  /** Never throws: the steps' visits are told. */
  async function sendNext(collection: Collection, freeLane: () => void): Promise<void> {
    const seen = collection.waiting
    let taken: Waiting[] | null = null
    try {
      const { chain } = seen[0]!.step
      taken = takeWhatFits(collection, mostGasOf(collection, await headOf(chain, tools()), chain))
      closeIfDue(collection)
      await sendTogether(taken, freeLane)
    } catch (error) {
      // Of those that were seen waiting another bundle may have taken some meanwhile.
      const failed = taken ?? seen.filter((entry) => collection.waiting.includes(entry))
      collection.waiting = collection.waiting.filter((entry) => !failed.includes(entry))
      for (const { reject } of failed) reject(error)
    }
  }

  /** The gas of a bundle at most. */
  function mostGasOf({ refused }: Collection, head: Block, chain: Chain): bigint {
    const { codec, tips, now } = tools()
    // The other half of a block is for everybody else; a transaction that wants a whole one may wait for long.
    const most = least(codec.mostGas, head.gasLimit / 2n)
    if (!refused || elapsedMs(refused.at, now()) >= cheapMs) return most
    const { maxFeePerGas } = codec.initialFees(head.baseFeePerGas, tips.withTip(chain.config))
    // Where gas has become free, nothing is too dear.
    return maxFeePerGas === 0n ? most : least(most, refused.cost / 2n / maxFeePerGas)
  }

  /** The steps of the next bundle, the longest waiting first. One that would not fit into any bundle goes by itself. */
  function takeWhatFits(collection: Collection, mostGas: bigint): Waiting[] {
    const taken: Waiting[] = []
    for (const entry of collection.waiting) {
      const { account } = entry.step
      // The second authorization of an account would be for a nonce that the first has used.
      if (account !== null && taken.some(({ step }) => step.account === account)) continue
      // A step may wait here twice: a visit that has waited for longer than its lease is repeated.
      if (taken.some(({ step }) => isSameStep(step.work.ref, entry.step.work.ref))) continue
      // All become final together, and none is to wait for what another moves.
      if (taken.some(({ step }) => confirmationsOf(step) !== confirmationsOf(entry.step))) continue
      const shares = [...taken, entry].map(({ share }) => share)
      const bytes = shares.reduce((sum, share) => sum + share.bytes, 0)
      const fits = tools().codec.bundleGasLimit(shares) <= mostGas && bytes <= mostBytes
      if (fits || taken.length === 0) taken.push(entry)
      if (taken.length >= settings.maxSteps) break
    }
    collection.waiting = collection.waiting.filter((entry) => !taken.includes(entry))
    return taken
  }

  async function sendTogether(entries: Waiting[], freeLane: () => void): Promise<void> {
    let left = entries
    while (left.length > 0) {
      const outgoing = left.length === 1 ? loneOf(left[0]!.step) : bundleOf(left)
      const recorded = await record(outgoing, tools())
      if (recorded.outcome === 'stale') {
        // Others have got further with some of them; the rest goes without these.
        const isStale = ({ step }: Waiting) => recorded.steps.some((ref) => isSameStep(ref, step.work.ref))
        for (const { resolve } of left.filter(isStale)) resolve(moved)
        left = left.filter((entry) => !isStale(entry))
        continue
      }
      freeLane()
      if (recorded.outcome === 'recorded') await sendStored(recorded.transaction, outgoing.chain, tools())
      for (const { resolve } of left) resolve(recorded.outcome === 'recorded' ? moved : noLane)
      return
    }
  }

  function bundleOf(entries: Waiting[]): Outgoing {
    const { codec } = tools()
    const steps = entries.map(({ step }) => step)
    const { chain } = steps[0]!
    return {
      chain,
      to: chain.config.vault,
      data: codec.encodeBundle(steps.map(callOf)),
      gasLimit: codec.bundleGasLimit(entries.map(({ share }) => share)),
      authorizations: steps.flatMap(({ authorization }) => authorization ?? []),
      steps: steps.map(({ work }) => work),
    }
  }

  function callOf({ to, data, callGasLimit }: ReadyStep) {
    return { to, data, gasLimit: tools().codec.bundledGasLimit(callGasLimit) }
  }

  function shareOf(step: ReadyStep): Waiting['share'] {
    return tools().codec.bundleShare(callOf(step), step.authorization ? 1 : 0)
  }
}

type Waiting = {
  step: ReadyStep
  /** What it adds to a bundle. */
  share: { gas: bigint; bytes: number }
  /** Unix ms. */
  since: number
  resolve: (visit: Visit) => void
  reject: (error: unknown) => void
}

type Collection = {
  /** In the order in which they came. */
  waiting: Waiting[]
  /** How many steps are being prepared. */
  expected: number
  /** How many bundles are on their way into the journal. */
  recording: number
  /** The steps have waited long enough for company. */
  isDue: boolean
  timer: NodeJS.Timeout | undefined
  /** When a bundle has failed as a whole, in unix ms; for a while every step goes by itself after that. */
  failedAt: number
  /** What a bundle would have cost that nodes refused for that, in wei, and when, in unix ms. */
  refused: { cost: bigint; at: number } | null
}

function confirmationsOf({ work }: ReadyStep): number {
  return work.view.requiredConfirmations
}

function loneOf({ chain, to, data, gasLimit, authorization, work }: ReadyStep): Outgoing {
  return { chain, to, data, gasLimit, authorizations: authorization ? [authorization] : [], steps: [work] }
}
