import type { Address } from 'viem'
import type { Block, Chain } from '../../chain/chain.js'
import { elapsedMs } from '../../domain/elapsed.js'
import { isRefusedForCost } from '../../domain/sendKind.js'
import { groupBy } from '../../lists/groupBy.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import { isToBeCancelled, replace } from './replace.js'
import { isWaitedFor, sendStored } from './send.js'
import type { EngineTools } from '../tools.js'

/**
 * How many times longer it takes until fees are raised while no block comes. They are raised in the end: a chain may
 * make blocks only for those who pay enough.
 */
const standstillFactor = 10
/** After how many raises in vain a transaction is given up; see `isGivenUp`. */
const mostReplacements = 3
/**
 * After this long a pass starts no further transaction of the lane: those left are due again by then, and the lowest
 * nonce comes first.
 */
const passMs = 5_000

/** Smallest tip a replacement climbs to, when less was offered: a thousandth of a gwei, in wei per gas. */
const climbFrom = 1_000_000n

/** What a round has seen of the chain. */
type Seen = {
  head: Block
  /** When the head was last looked at before it was seen to have moved, in unix ms. */
  movedAt: number
  /**
   * Transactions of which no node tells whether a block has them: as they may be mined, they are not signed anew soon.
   */
  unanswered: ReadonlySet<number>
}

/**
 * Sends transactions again that no block has had for too long, or signs them anew with higher fees: each lane by
 * itself, the lowest nonce first. Nobody waits for the answers, which may take as long as the slowest node: blocks go
 * on being read.
 */
export function createResends(chain: Chain, tools: EngineTools) {
  const { chainId } = chain.config
  /**
   * By lane, its lowest transaction, while it pays the base fee and yet no block takes it: since when, in unix ms, how
   * many forms it had then, and whether a node had it.
   */
  const inVain = new Map<Address, { id: number; since: number; forms: number; isTaken: boolean }>()
  /** By lane, its lowest nonce, and since when that is the lowest, in unix ms. */
  const lowestOf = new Map<Address, { nonce: number; since: number }>()
  /** Passes under way, by lane. */
  const underWay = new Map<Address, Promise<void>>()
  let stopped = false

  return {
    /** Starts a pass for each lane whose last one has ended. What is left for the others is due again before long. */
    begin(silent: readonly JournalTransaction[], seen: Seen): void {
      for (const [signer, ofLane] of groupBy(silent, (transaction) => transaction.signer)) {
        if (underWay.has(signer)) continue
        const sent = sendLane(ofLane, seen)
          .catch((error: unknown) => tools.log.warn({ err: error, chainId, signer }, 'lane was not sent again'))
          .finally(() => underWay.delete(signer))
        underWay.set(signer, sent)
      }
    },
    async stop(): Promise<void> {
      stopped = true
      await Promise.all(underWay.values())
    },
  }

  async function sendLane(transactions: JournalTransaction[], seen: Seen): Promise<void> {
    const startedAt = performance.now()
    const { signer } = transactions[0]!
    // The lowest may have been due in a round in which the lane's last pass was still under way, and all the others
    // wait for it.
    const nonce = await tools.store.lowestUnminedNonce(chainId, signer)
    const isGiven = nonce === null || transactions.some((transaction) => transaction.nonce <= nonce)
    const lowest = isGiven ? null : await tools.store.readUnmined({ chainId, signer, nonce })
    const first = lowest ?? transactions.find((transaction) => transaction.nonce === nonce)
    if (first) noteLowest(first)
    if (lowest) await ((await isNowhere(lowest)) ? sendAgain(lowest, seen) : sendStored(lowest, chain, tools))
    for (const transaction of transactions.sort((a, b) => a.nonce - b.nonce)) {
      if (stopped || performance.now() - startedAt > passMs) return
      await sendAgain(transaction, seen)
    }
  }

  /** Whether no block has a transaction. One that was not due was not looked for with the others, and may be mined. */
  async function isNowhere({ forms }: JournalTransaction): Promise<boolean> {
    const told = await chain.receipts(forms.map(({ hash }) => hash)).catch(() => null)
    return told !== null && told.every((receipt) => receipt === null)
  }

  /**
   * Signs a transaction anew with higher fees, if it has waited for too long and that may help; else sends it as it is.
   */
  async function sendAgain(transaction: JournalTransaction, seen: Seen): Promise<void> {
    if (isToBeCancelled(transaction)) return sendStored(transaction, chain, tools)
    const wasSent = transaction.sentAt !== null
    const { replaceAfterMs } = chain.config
    const patienceMs = waitsForBlocks(transaction, seen) ? replaceAfterMs * standstillFactor : replaceAfterMs
    const ageMs = elapsedMs(transaction.waitingSince, tools.now())
    // Not for ever: nodes may not tell for hours, while the lane waits, and higher fees for what is mined are never
    // paid.
    const mayBeMined = seen.unanswered.has(transaction.id) && ageMs <= replaceAfterMs * standstillFactor
    const isTooDear = isRefusedForCost(transaction.sendOutcome)
    const isForLong = isTooDear && !mayBeMined && (await isLongTooDear(transaction, seen))
    if (isForLong && (await replace(transaction, chain, { isCancel: true }, tools))) return
    // A signer who can't pay for it as it is can't pay for more, and nodes that refuse what it costs refuse more.
    const mayBeRaised = wasSent && transaction.sendOutcome !== 'unfunded' && !isTooDear && !mayBeMined
    if (mayBeRaised && ageMs > patienceMs && (await raise(transaction, seen))) return
    await sendStored(transaction, chain, tools)
  }

  /**
   * Whether its lane's lowest transaction, whose dearest form nodes refuse for what it may cost, waits for long: also
   * where they have it in a cheaper form. Where no others wait for it, fees are given more time to fall.
   */
  async function isLongTooDear(transaction: JournalTransaction, { movedAt }: Seen): Promise<boolean> {
    const { signer, nonce, forms } = transaction
    const known = lowestOf.get(signer)
    // While no block comes, none has passed the transaction over.
    if (forms.at(-1)!.isCancel || known?.nonce !== nonce || movedAt <= known.since) return false
    const patience = (await isWaitedFor(transaction, tools)) ? mostReplacements : standstillFactor
    return elapsedMs(known.since, tools.now()) > chain.config.replaceAfterMs * patience
  }

  /**
   * Signs a transaction anew with higher fees. Only the lowest nonce of a lane can be stuck for its tip, since the
   * others wait for it; but any that does not pay the base fee is stuck. False: nothing was signed.
   */
  async function raise(transaction: JournalTransaction, seen: Seen): Promise<boolean> {
    const lowest = await tools.store.lowestUnminedNonce(chainId, transaction.signer)
    const pays = paysFor(transaction.forms, seen.head)
    if (lowest !== transaction.nonce) {
      return !pays && replace(transaction, chain, { isCancel: transaction.forms.at(-1)!.isCancel }, tools)
    }
    // A transaction that stood behind another until now could not be taken before. Its wait shows nothing yet; only a
    // tip below what blocks are known to take does.
    const isFresh = elapsedMs(noteLowest(transaction), tools.now()) <= chain.config.replaceAfterMs
    const { priorityFeePerGas: begin } = tools.tips.withTip(chain.config)
    if (pays && isFresh && transaction.forms.at(-1)!.maxPriorityFeePerGas >= begin) return false
    const suggested = pays && !isFresh ? await chain.suggestedTip().catch(() => 0n) : 0n
    const tip = tipTowards(suggested, transaction)
    const fees = raisedFees(transaction, seen, tip)
    const climbs = fees !== null && suggested > transaction.forms.at(-1)!.maxPriorityFeePerGas
    noteInVain(transaction, seen.head, climbs)
    const isCancel = isGivenUp(transaction, seen, { climbs, isAtCap: fees === null })
    const isRaised = await replace(transaction, chain, { isCancel, leastTip: tip }, tools)
    const isPassedOver = pays && !isFresh && !waitsForBlocks(transaction, seen)
    if (isRaised && isPassedOver) tools.tips.passedOver(transaction, seen.head)
    return isRaised
  }

  /** What the next form of the transaction would offer. Null: the dearest offers as much as any may. */
  function raisedFees({ forms }: JournalTransaction, { head }: Seen, tip: bigint) {
    return tools.codec.replacementFees(forms, head.baseFeePerGas, tools.tips.withTip(chain.config, tip), {
      isCancel: false,
    })
  }

  /**
   * Whether a transaction is to be cancelled. Higher fees don't help where a user keeps his authorization out of the
   * nodes' pools. Where only those that build blocks don't take it, nobody says so: after some raises in vain the other
   * steps of a bundle go on without him, and those of the lane. A transaction whose tip still climbs to what a node
   * suggests is passed over for that tip, which is nobody's fault.
   */
  function isGivenUp(
    transaction: JournalTransaction,
    seen: Seen,
    { climbs, isAtCap }: { climbs: boolean; isAtCap: boolean },
  ): boolean {
    const { signer, forms, carries, authorizations, sendOutcome } = transaction
    if (forms.at(-1)!.isCancel || sendOutcome === 'authorityBusy') return true
    if (carries.length <= 1 && authorizations.length === 0) return false
    // While no block comes, none has passed the transaction over.
    if (climbs || waitsForBlocks(transaction, seen)) return false
    const known = inVain.get(signer)
    if (!known) return false
    // A step that goes alone fails with its transaction. Where no node has told that it has it, an outage may be the
    // reason, for which the step is given more time than for a user who keeps it out of blocks.
    const patience = carries.length > 1 || known.isTaken ? mostReplacements : standstillFactor
    const isLong = elapsedMs(known.since, tools.now()) > chain.config.replaceAfterMs * patience
    // At the cap fees can't be raised: there the time in which they would have been is enough.
    return isLong && (isAtCap || forms.length - known.forms >= mostReplacements)
  }

  /**
   * Answers since when the transaction is its lane's lowest: since it waits, unless another was the lowest after that.
   */
  function noteLowest({ signer, nonce, waitingSince }: JournalTransaction): number {
    const known = lowestOf.get(signer)
    if (known?.nonce === nonce) return known.since
    const since = known && known.nonce < nonce ? tools.now() : waitingSince
    lowestOf.set(signer, { nonce, since })
    return since
  }

  /**
   * Notes since when the lane's lowest transaction waits for a block in vain. That time begins anew after it has paid
   * too little, and so waited for the base fee to fall; after its tip has still climbed to what blocks ask for; and
   * when a node has it that none had before.
   */
  function noteInVain(transaction: JournalTransaction, head: Block, climbs: boolean): void {
    const { id, signer, forms, sendOutcome } = transaction
    const isTaken = isPooled(transaction) || sendOutcome === 'perhapsBusy'
    const known = inVain.get(signer)
    if (!paysFor(forms, head) || climbs) inVain.delete(signer)
    else if (known?.id !== id || (isTaken && !known.isTaken)) {
      inVain.set(signer, { id, since: tools.now(), forms: forms.length, isTaken })
    }
  }
}

/**
 * Whether the chain makes no blocks: a node has the transaction, it pays the base fee, and no block has come since that
 * could have taken it. Higher fees hardly ever change that; they would be paid, though, once a block comes.
 */
function waitsForBlocks(transaction: JournalTransaction, { head, movedAt }: Seen): boolean {
  return isPooled(transaction) && paysFor(transaction.forms, head) && movedAt <= transaction.waitingSince
}

function isPooled({ sendOutcome }: JournalTransaction): boolean {
  return sendOutcome === 'accepted' || sendOutcome === 'known'
}

/**
 * The tip of the next form on its way to the suggested one, twice the last at most. By an eighth at a time it would
 * take too long where blocks ask for much more. Nor does it get there at once: what is suggested is one node's word,
 * and later transactions begin at what was paid.
 */
function tipTowards(suggested: bigint, { forms }: JournalTransaction): bigint {
  const offered = forms.at(-1)!.maxPriorityFeePerGas
  const most = offered < climbFrom ? climbFrom : 2n * offered
  return suggested < most ? suggested : most
}

function paysFor(forms: JournalTransaction['forms'], { baseFeePerGas }: Block): boolean {
  return forms.at(-1)!.maxFeePerGas >= baseFeePerGas
}
