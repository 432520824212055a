import type { Address } from 'viem'
import type { Block, Chain } from '../../chain/chain.js'
import { elapsedMs } from '../../domain/elapsed.js'
import { groupBy } from '../../domain/groupBy.js'
import type { JournalTransaction } from '../../store/journal/journalTransactions.js'
import { isToBeCancelled, replace } from './replace.js'
import { sendStored } from './send.js'
import type { EngineTools } from '../tools.js'

/** How many times later fees are raised while no block comes. They are in the end: a chain may make blocks only for who pays enough. */
const standstillFactor = 10
/** How often fees are raised before that is given up; see `isGivenUp`. */
const mostReplacements = 3
/** After it a lane begins with no other transaction: the rest is due again by then, and the lowest nonce comes first. */
const passMs = 5_000

/** Where the climb begins of what offers less, or nothing, in wei per gas: a thousandth of a gwei. */
const climbFrom = 1_000_000n

/** What the chain shows at a moment. */
type Seen = {
  head: Block
  /** When the head was last looked at before it was seen to have moved, in unix ms. */
  movedAt: number
  /** Transactions of which no node tells whether a block has them: what may be mined is not signed anew soon. */
  unanswered: ReadonlySet<number>
}

/**
 * Sends once more what no block has mentioned for too long, or signs it anew with higher fees. Each lane by itself, the
 * lowest nonce first. Nobody waits for the answers, which may take as long as the slowest node: blocks go on being read.
 */
export function createResends(chain: Chain, tools: EngineTools) {
  const { chainId } = chain.config
  /**
   * The lowest transaction of a lane that pays for what blocks are made of and is in none: since when, in unix ms, how many forms
   * it had then, and whether a node had it.
   */
  const inVain = new Map<Address, { id: number; since: number; forms: number; isTaken: boolean }>()
  /** The lowest nonce of a lane, and since when it is that, in unix ms. */
  const lowestOf = new Map<Address, { nonce: number; since: number }>()
  /** Lanes that are being sent again. */
  const underWay = new Map<Address, Promise<void>>()
  let stopped = false

  return {
    /** Of a lane that is still at it nothing more is begun; what is due is due again before long. */
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
    // It may have been due in a round in which the lane was still at the last ones, and all the others wait for it.
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

  /** One that was not looked for with the others may be mined. */
  async function isNowhere({ forms }: JournalTransaction): Promise<boolean> {
    const told = await chain.receipts(forms.map(({ hash }) => hash)).catch(() => null)
    return told !== null && told.every((receipt) => receipt === null)
  }

  /** What has waited for too long is signed anew with higher fees, if that may help; else it is sent as it is. */
  async function sendAgain(transaction: JournalTransaction, seen: Seen): Promise<void> {
    if (isToBeCancelled(transaction)) return sendStored(transaction, chain, tools)
    const wasSent = transaction.sentAt !== null
    const { replaceAfterMs } = chain.config
    const patienceMs = waitsForBlocks(transaction, seen) ? replaceAfterMs * standstillFactor : replaceAfterMs
    const ageMs = elapsedMs(transaction.waitingSince, tools.now())
    // Nodes may not tell for hours, while a lane waits; higher fees for what is mined are never paid.
    const mayBeMined = seen.unanswered.has(transaction.id) && ageMs <= replaceAfterMs * standstillFactor
    // Whoever can't pay for it as it is can't pay for more.
    const mayBeRaised = wasSent && transaction.sendOutcome !== 'unfunded' && !mayBeMined
    if (mayBeRaised && ageMs > patienceMs && (await raise(transaction, seen))) return
    await sendStored(transaction, chain, tools)
  }

  /**
   * Only the lowest nonce of a lane can be stuck for its tip, since the others wait for it; but each that does not pay the
   * base fee is, whoever goes first. False: nothing was signed.
   */
  async function raise(transaction: JournalTransaction, seen: Seen): Promise<boolean> {
    const lowest = await tools.store.lowestUnminedNonce(chainId, transaction.signer)
    const pays = paysFor(transaction.forms, seen.head)
    if (lowest !== transaction.nonce) {
      return !pays && replace(transaction, chain, { isCancel: transaction.forms.at(-1)!.isCancel }, tools)
    }
    // What stood behind another could not be taken before, and shows nothing yet; but that it offers less than blocks take.
    const isFresh = elapsedMs(noteLowest(transaction), tools.now()) <= chain.config.replaceAfterMs
    const { priorityFeePerGas: begin } = tools.tips.on(chain.config)
    if (pays && isFresh && transaction.forms.at(-1)!.maxPriorityFeePerGas >= begin) return false
    const suggested = pays && !isFresh ? await chain.suggestedTip().catch(() => 0n) : 0n
    const tip = tipTowards(suggested, transaction)
    const fees = raisedFees(transaction, seen, tip)
    const climbs = fees !== null && suggested > transaction.forms.at(-1)!.maxPriorityFeePerGas
    noteInVain(transaction, seen.head, climbs)
    const isCancel = isGivenUp(transaction, seen, { climbs, isAtCap: fees === null })
    const isRaised = await replace(transaction, chain, { isCancel, leastTip: tip }, tools)
    if (isRaised && pays && !isFresh && !waitsForBlocks(transaction, seen)) tools.tips.passedOver(transaction)
    return isRaised
  }

  /** What the next form of it would offer. Null: it offers as much as it may. */
  function raisedFees({ forms }: JournalTransaction, { head }: Seen, tip: bigint) {
    return tools.codec.replacementFees(forms, head.baseFeePerGas, tools.tips.on(chain.config, tip), {
      isCancel: false,
    })
  }

  /**
   * Higher fees don't help where a user keeps his authorization out of the nodes' pools. Where it is only those that build
   * blocks who don't take it, nobody says so; then the others of a bundle go on without him, and those of the lane. What still
   * climbs to the tip that a node suggests is passed over for that, which is nobody's fault.
   */
  function isGivenUp(
    transaction: JournalTransaction,
    seen: Seen,
    { climbs, isAtCap }: { climbs: boolean; isAtCap: boolean },
  ): boolean {
    const { signer, forms, carries, authorizations, sendOutcome } = transaction
    if (forms.at(-1)!.isCancel || sendOutcome === 'authorityBusy') return true
    if (carries.length <= 1 && authorizations.length === 0) return false
    // While no block comes nobody has refused it.
    if (climbs || waitsForBlocks(transaction, seen)) return false
    const known = inVain.get(signer)
    if (!known) return false
    // Alone it would fail with it, which an outage is no reason for as soon as a user who keeps it out.
    const patience = carries.length > 1 || known.isTaken ? mostReplacements : standstillFactor
    const isLong = elapsedMs(known.since, tools.now()) > chain.config.replaceAfterMs * patience
    // At the cap no fees are raised, and the time for which they would be stands for that.
    return isLong && (isAtCap || forms.length - known.forms >= mostReplacements)
  }

  /** Answers since when it is the lane's lowest: since it waits, unless another was before. */
  function noteLowest({ signer, nonce, waitingSince }: JournalTransaction): number {
    const known = lowestOf.get(signer)
    if (known?.nonce === nonce) return known.since
    const since = known && known.nonce < nonce ? tools.now() : waitingSince
    lowestOf.set(signer, { nonce, since })
    return since
  }

  /**
   * What pays too little now waits for the base fee to fall, and what climbs is not at the tip that blocks ask for: it begins
   * anew then, as what no node had before and one has now.
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
 * A node has it, it pays the base fee, and no block has come since that could have taken it: the chain makes none, which
 * higher fees hardly ever change. They would be paid once it does, though.
 */
function waitsForBlocks(transaction: JournalTransaction, { head, movedAt }: Seen): boolean {
  return isPooled(transaction) && paysFor(transaction.forms, head) && movedAt <= transaction.waitingSince
}

function isPooled({ sendOutcome }: JournalTransaction): boolean {
  return sendOutcome === 'accepted' || sendOutcome === 'known'
}

/**
 * Where blocks ask for much more it is not climbed to by an eighth at a time; nor at once, since it is one node's word, and
 * what was paid is where the next ones begin.
 */
function tipTowards(suggested: bigint, { forms }: JournalTransaction): bigint {
  const offered = forms.at(-1)!.maxPriorityFeePerGas
  const most = offered < climbFrom ? climbFrom : 2n * offered
  return suggested < most ? suggested : most
}

function paysFor(forms: JournalTransaction['forms'], { baseFeePerGas }: Block): boolean {
  return forms.at(-1)!.maxFeePerGas >= baseFeePerGas
}
