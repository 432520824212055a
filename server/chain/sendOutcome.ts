import type { SendKind } from '../domain/sendKind.js'
import type { SendOutcome } from './chain.js'

/** What one node alone may say. */
type NodeKind = Exclude<SendKind, 'perhapsBusy' | 'perhapsOverFeeCap'>

/** What an answer means by itself. `otherChain`: the node takes the transaction for one of another chain. */
type AnswerKind = NodeKind | 'otherChain'

/** One known answer to eth_sendRawTransaction. */
type Row = { kind: AnswerKind; text: string; clients: string }

/**
 * What nodes say, in lower case. The first row decides whose text occurs at the beginning of a word, so longer texts
 * stand before those they contain ("authority nonce too low" before "nonce too low"), and "unknown transaction" is not
 * "known transaction". What `parity` says, its successors and some gateways still do.
 */
export const sendAnswers: readonly Row[] = [
  { kind: 'known', text: 'already known', clients: 'geth, nethermind, erigon, reth' },
  { kind: 'known', text: 'alreadyknown', clients: 'nethermind before 1.36' },
  { kind: 'known', text: 'already imported', clients: 'anvil, reth, parity' },
  { kind: 'known', text: 'known transaction', clients: 'besu, geth before 1.9' },
  { kind: 'known', text: 'existing txn with same hash', clients: 'erigon' },
  { kind: 'known', text: 'existing tx with same hash', clients: 'erigon before 3' },

  // A stale authorization: before "nonce too low", and dead, since waiting would jam the lane behind it.
  { kind: 'dead', text: 'authority nonce too low', clients: 'geth' },

  { kind: 'consumed', text: 'nonce too low', clients: 'geth, nethermind, besu, erigon, reth, anvil' },
  { kind: 'consumed', text: 'oldnonce', clients: 'nethermind before 1.36' },
  { kind: 'consumed', text: 'nonce is too low', clients: 'parity' },
  { kind: 'consumed', text: 'already mined', clients: 'gateways' },

  {
    kind: 'slotTaken',
    text: 'replacement transaction underpriced',
    clients: 'geth, nethermind, besu, erigon, reth, anvil',
  },
  { kind: 'slotTaken', text: 'to replace existing transaction', clients: 'reth, anvil before 1.0' },
  { kind: 'slotTaken', text: 'could not replace existing tx', clients: 'erigon' },
  { kind: 'slotTaken', text: 'replaced by transaction with higher tip', clients: 'erigon' },
  { kind: 'slotTaken', text: 'replacementnotallowed', clients: 'nethermind before 1.36' },
  { kind: 'slotTaken', text: 'another transaction with same nonce', clients: 'parity' },

  // Before "invalid sender", which geth says of it first.
  { kind: 'otherChain', text: 'invalid chain id', clients: 'geth, reth, anvil' },
  { kind: 'otherChain', text: 'wrong chainid', clients: 'besu' },
  { kind: 'otherChain', text: 'invalidtxchainid', clients: 'nethermind' },

  { kind: 'dead', text: 'insufficient gas for floor data gas cost', clients: 'geth' },
  { kind: 'dead', text: 'intrinsic gas too low', clients: 'geth, nethermind, reth, anvil' },
  { kind: 'dead', text: 'intrinsic gas too high', clients: 'anvil, reth' },
  { kind: 'dead', text: 'intrinsic gas exceeds gas limit', clients: 'besu' },
  { kind: 'dead', text: 'intrinsicgas', clients: 'erigon' },
  { kind: 'dead', text: 'exceeds block gas limit', clients: 'geth, besu, reth' },
  { kind: 'dead', text: 'exceeds max transaction gas limit', clients: 'reth' },
  { kind: 'dead', text: 'greater than the block gas limit', clients: 'anvil' },
  { kind: 'dead', text: 'gas limit too high', clients: 'geth, reth' },
  { kind: 'dead', text: 'gas limit is too high', clients: 'erigon' },
  { kind: 'dead', text: 'gas limit reached', clients: 'nethermind' },
  { kind: 'dead', text: 'gaslimitexceeded', clients: 'nethermind before 1.36' },
  { kind: 'dead', text: 'txgaslimitcapexceeded', clients: 'nethermind' },
  { kind: 'dead', text: 'oversized data', clients: 'geth, erigon, reth' },
  { kind: 'dead', text: 'input data too large', clients: 'reth before 1.3' },
  { kind: 'dead', text: 'transaction too large', clients: 'nethermind' },
  { kind: 'dead', text: 'maxtxsizeexceeded', clients: 'nethermind before 1.36' },
  { kind: 'dead', text: 'rlptoolong', clients: 'erigon' },
  { kind: 'dead', text: 'max initcode size exceeded', clients: 'geth, nethermind, reth, anvil' },
  { kind: 'dead', text: 'initcode too large', clients: 'erigon' },
  { kind: 'dead', text: 'invalid sender', clients: 'geth, erigon, reth' },
  { kind: 'dead', text: 'invalid signature', clients: 'besu' },
  { kind: 'dead', text: 'invalid transaction signature', clients: 'reth' },
  { kind: 'dead', text: 'invalidtxsignature', clients: 'nethermind' },
  { kind: 'dead', text: 'failed to recover sender', clients: 'nethermind' },
  { kind: 'dead', text: 'transaction type not supported', clients: 'geth, reth' },
  { kind: 'dead', text: 'invalid transaction type', clients: 'besu' },
  { kind: 'dead', text: 'unsupported transaction type', clients: 'nethermind' },
  { kind: 'dead', text: 'transaction type is not activated', clients: 'erigon' },
  { kind: 'dead', text: 'fork supporting this transaction type', clients: 'erigon' },
  { kind: 'dead', text: 'max priority fee per gas higher than max fee', clients: 'geth, reth, anvil' },
  { kind: 'dead', text: 'max priority fee per gas exceeds max fee', clients: 'besu' },
  { kind: 'dead', text: 'invalidmaxpriorityfeepergas', clients: 'nethermind' },
  { kind: 'dead', text: 'at least one authorization tuple', clients: 'geth' },
  { kind: 'dead', text: 'empty authorization list', clients: 'erigon' },
  { kind: 'dead', text: 'no items in authorization list', clients: 'reth' },
  { kind: 'dead', text: 'missingauthorizationlist', clients: 'nethermind' },
  { kind: 'dead', text: 'gas uint64 overflow', clients: 'geth, reth, anvil' },
  { kind: 'dead', text: 'gasuintoverflow', clients: 'erigon' },
  { kind: 'dead', text: 'failed to decode signed transaction', clients: 'reth' },
  { kind: 'dead', text: 'failed to decode transaction', clients: 'anvil' },

  // Pending transactions of a user's own keep out what carries his authorization.
  { kind: 'authorityBusy', text: 'authority already reserved', clients: 'geth, erigon' },
  { kind: 'authorityBusy', text: 'delegation authority has pending', clients: 'nethermind' },
  { kind: 'authorityBusy', text: 'delegatorhaspendingtx', clients: 'nethermind before 1.36' },

  { kind: 'unfunded', text: 'insufficient funds', clients: 'geth, nethermind, erigon, reth, anvil, parity' },
  { kind: 'unfunded', text: 'insufficientfunds', clients: 'nethermind before 1.36' },
  { kind: 'unfunded', text: 'upfront cost exceeds account balance', clients: 'besu' },
  { kind: 'unfunded', text: 'overdraws from account', clients: 'reth before 1.3' },

  { kind: 'overFeeCap', text: 'exceeds the configured cap', clients: 'geth, reth' },
  { kind: 'overFeeCap', text: 'transaction fee cap exceeded', clients: 'besu' },

  { kind: 'notPooled', text: 'less than block base fee', clients: 'geth, reth, anvil' },
  { kind: 'notPooled', text: 'underpriced', clients: 'geth, nethermind, erigon, reth' },
  { kind: 'notPooled', text: 'gas price below', clients: 'geth, besu' },
  { kind: 'notPooled', text: 'below chain minimum', clients: 'reth' },
  { kind: 'notPooled', text: 'below minimum required priority fee', clients: 'reth' },
  { kind: 'notPooled', text: 'fee too low', clients: 'erigon' },
  { kind: 'notPooled', text: 'feetoolow', clients: 'nethermind before 1.36' },
  { kind: 'notPooled', text: 'txpool is full', clients: 'geth, reth' },
  { kind: 'notPooled', text: 'sub-pool is full', clients: 'erigon' },
  { kind: 'notPooled', text: 'pool size constraints', clients: 'reth' },
  { kind: 'notPooled', text: 'too many transactions in the queue', clients: 'parity' },
  { kind: 'notPooled', text: 'spammer', clients: 'erigon, reth' },
  { kind: 'notPooled', text: 'account limit exceeded', clients: 'geth' },
  { kind: 'notPooled', text: 'future transaction tries to replace pending', clients: 'geth' },
  { kind: 'notPooled', text: 'in-flight transaction limit reached', clients: 'geth, reth, gateways' },
  { kind: 'notPooled', text: 'gapped-nonce tx from delegated accounts', clients: 'geth' },
  { kind: 'notPooled', text: 'address already reserved', clients: 'geth, reth' },
  { kind: 'notPooled', text: 'delegation nonce gap', clients: 'nethermind' },
  { kind: 'notPooled', text: 'notcurrentnoncefordelegation', clients: 'nethermind before 1.36' },
  { kind: 'notPooled', text: 'pending transaction type conflict', clients: 'nethermind' },
  { kind: 'notPooled', text: 'nonce too high', clients: 'geth, nethermind, besu, reth, anvil' },
  { kind: 'notPooled', text: 'noncegap', clients: 'nethermind before 1.36' },
  { kind: 'notPooled', text: 'nonce too far in future', clients: 'nethermind' },
  { kind: 'notPooled', text: 'noncetoofarinfuture', clients: 'nethermind before 1.36' },
  { kind: 'notPooled', text: 'too distant from current sender nonce', clients: 'besu' },
  { kind: 'notPooled', text: 'invalid transaction with a lower nonce', clients: 'besu' },
  { kind: 'notPooled', text: 'syncing', clients: 'nethermind' },
  { kind: 'notPooled', text: 'initial sync is still in progress', clients: 'besu' },
  { kind: 'notPooled', text: 'transaction pool not enabled', clients: 'besu' },
  { kind: 'notPooled', text: 'not authorized to send transactions', clients: 'besu' },
]

/**
 * What a node's error answer to a raw transaction means. Anything unknown is ambiguous, which is to be treated as sent:
 * a proxy in front of the node may have failed after the node took the transaction.
 */
export function classifySend(text: string): AnswerKind {
  return patterns.find(({ pattern }) => pattern.test(text))?.kind ?? 'ambiguous'
}

const patterns = sendAnswers.map(({ kind, text }) => ({ kind, pattern: new RegExp(`\\b${text}`, 'i') }))

/** The answer of one node. `unreached`: no connection to it was made, so that it cannot have the transaction. */
export type NodeAnswer = { kind: AnswerKind | 'unreached'; text: string }

/** The same once it is known of which chain the node is. */
export type NodeOutcome = { kind: NodeKind | 'unreached'; text: string }

/**
 * The answers from the one that says most about the transaction to the one that says least. A refusal counts only if
 * every node that was reached refuses: where one node may have it, it is sent. Of two that say as much, the node
 * that is configured first is heard.
 */
const ranks: Record<NodeOutcome['kind'], number> = {
  accepted: 0,
  known: 1,
  consumed: 2,
  slotTaken: 3,
  ambiguous: 4,
  authorityBusy: 5,
  // Before the refusals that pass: for those a transaction is signed dearer in the end.
  overFeeCap: 6,
  unfunded: 7,
  notPooled: 7,
  dead: 8,
  unreached: 9,
}

/** What the answers of several nodes mean together. */
export function combineOutcomes(outcomes: readonly NodeOutcome[]): SendOutcome {
  const [first, ...others] = outcomes
  if (!first) return { kind: 'ambiguous', text: 'no node was asked' }
  const { kind, text } = others.reduce((most, other) => (ranks[other.kind] < ranks[most.kind] ? other : most), first)
  const [busy, tooDear] = (['authorityBusy', 'overFeeCap'] as const).map((refusal) =>
    outcomes.find((outcome) => outcome.kind === refusal),
  )
  if (kind === 'ambiguous' && busy) return { kind: 'perhapsBusy', text: `${busy.text}; ${text}` }
  if (kind === 'ambiguous' && tooDear) return { kind: 'perhapsOverFeeCap', text: `${tooDear.text}; ${text}` }
  // Nothing is known of the transaction, as after an answer that says nothing.
  return { kind: kind === 'unreached' ? 'ambiguous' : kind, text }
}
