import { elapsedMs } from '../../domain/elapsed.js'
import type { Block, Chain } from '../../chain/chain.js'
import type { EndedStep, SettledBlock, Undone } from '../../store/journal/reorganisations.js'
import { stepFields, stepsFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'

/**
 * How often all is compared with the chain, though no new head has shown that this is needed, as after a reorganisation
 * while no process ran: after so many looks at the chain's head, and at least every half minute.
 */
const checkEveryPolls = 30
const checkAtLeastMs = 30_000
/**
 * How many settled blocks are asked for at once, in multiples of `reorganisationBlocks`. While nodes don't agree, which
 * may be for days, there are ever more of them.
 */
const mostTimes = 2

/**
 * Compares the blocks in which something was settled with the chain. Where one is not the chain's any more, so that the
 * reorganisation was deeper than the confirmations, what rests on it is undone and alarmed.
 */
export function createReorganisationCheck(chain: Chain, tools: EngineTools) {
  const { chainId, reorganisationBlocks, pollIntervalMs } = chain.config
  const everyMs = Math.min(checkEveryPolls * pollIntervalMs, checkAtLeastMs)
  let last: Block | null = null
  let checkedAt = 0
  /**
   * The number of the head with which all that is settled was compared last, also by a process before this one; null:
   * not read yet.
   */
  let checkedTo: number | null = null
  /** The chain was seen to reorganise, and what is settled has not all been compared with it since. */
  let suspicious = false
  let suspiciousSince = -Infinity

  return {
    /**
     * Looks at once when the new head does not continue the last one, then again until it is decided what is gone, and
     * now and then in any case. True: the chain has reorganised since the last time.
     */
    async check(head: Block): Promise<boolean> {
      const continues = last === null || head.hash === last.hash || head.parentHash === last.hash
      // Several blocks may have come since the last head; then only the chain's block of that number tells whether it
      // is the chain's still.
      const hasReorganised = !continues && (head.number <= last!.number + 1n || !(await isCanonical(last!)))
      if (hasReorganised) {
        suspicious = true
        suspiciousSince = tools.now()
        tools.log.warn({ chainId, blockNumber: Number(head.number) }, 'the chain has reorganised below this block')
      }
      last = head
      if (!suspicious && elapsedMs(checkedAt, tools.now()) < everyMs) return false
      try {
        const isDecided = await undoWhatIsGone(head)
        if (isDecided) await noteChecked(Number(head.number))
        // A node may stand still for days, or be on another chain's side for good: after a while that is left to the
        // regular looks.
        suspicious &&= !isDecided && elapsedMs(suspiciousSince, tools.now()) < everyMs
      } catch (error) {
        // The rest of the round goes on; the suspicion stays, and the next round looks again.
        tools.log.warn({ err: error, chainId }, 'what is settled could not be held against the chain')
      }
      checkedAt = tools.now()
      return hasReorganised
    },
  }

  /** False: nodes don't agree on all settled blocks yet, or have none of a block's number yet. */
  async function undoWhatIsGone(head: Block): Promise<boolean> {
    if (reorganisationBlocks === 0) return true
    // From the head that was checked last, however many blocks have come since: while nobody looked, the chain may have
    // gone on from any block before it.
    checkedTo ??= await tools.store.readCheckedBlock(chainId)
    const from = Math.min(checkedTo ?? Number(head.number), Number(head.number)) - reorganisationBlocks
    const most = mostTimes * reorganisationBlocks
    for (let to = Number.MAX_SAFE_INTEGER; ;) {
      const settled = await tools.store.readSettledBlocks(chainId, { from, to }, most)
      if (!(await undoThoseGone(settled))) return false
      if (settled.length < most) return true
      // Forks may have several settled blocks of one number.
      const [oldest, newest] = [settled[0]!.number, settled.at(-1)!.number]
      to = oldest < newest ? oldest : oldest - 1
    }
  }

  /** False: nodes don't agree on all of them yet. */
  async function undoThoseGone(settled: readonly SettledBlock[]): Promise<boolean> {
    const gone = await chain.goneBlocks(settled)
    const failures: unknown[] = []
    for (const [index, block] of settled.entries()) {
      if (!gone[index]) continue
      // A block that can't be undone must not keep what rests on the others.
      await undo(block).catch((error: unknown) => {
        const blockNumber = block.number
        tools.log.error({ err: error, chainId, blockNumber }, 'what rests on a block that is gone is not all undone')
        failures.push(error)
      })
    }
    if (failures.length > 0) throw failures[0]
    return gone.every((isGone) => isGone !== null)
  }

  async function noteChecked(number: number): Promise<void> {
    if (number === checkedTo) return
    await tools.store.noteCheckedBlock({ chainId, number }, tools.now())
    checkedTo = number
  }

  /** One node is enough for a suspicion; `goneBlocks` asks as many as have to agree. */
  async function isCanonical({ number, hash }: Block): Promise<boolean> {
    const block = await chain.blockByNumber(number)
    return block === null || block.hash === hash
  }

  async function undo(block: SettledBlock): Promise<void> {
    const failures: unknown[] = []
    const undone = await tools.store.undoBlock(chainId, block, tools.now(), (error) => failures.push(error))
    for (const entry of undone) report(entry, block)
    tools.wake()
    if (failures.length > 0) throw failures[0]
  }

  function report(entry: Undone, block: SettledBlock): void {
    tools.countReorganised(chainId, entry.kind)
    tools.log.error(
      {
        chainId,
        kind: entry.kind,
        hash: entry.transactionHash,
        ...stepsFields(entry.steps.map((ref) => ({ ref, traceparent: null }))),
        blockNumber: block.number,
        ...(entry.kind === 'credit' && { exposed: entry.exposed.toString() }),
      },
      'a reorganisation deeper than the confirmations has undone what was final',
    )
    for (const { actionId } of entry.steps) tools.changed(actionId)
    if (entry.kind === 'credit') entry.ended.forEach(reportEnded)
  }

  function reportEnded({ ref, traceparent, chainId, code }: EndedStep): void {
    tools.log.info({ ...stepFields({ ref, traceparent }), chainId, hash: null, status: 'error', code }, 'step settled')
    tools.countStep(chainId, 'error', code)
    tools.changed(ref.actionId)
  }
}
