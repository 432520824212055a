import { type Address, getAddress } from 'viem'
import { type ChainBatch, nativeToken } from '../domain/action.js'
import { ownPartOf } from '../domain/oneTransaction.js'
import { depthOf } from '../domain/finality.js'
import type { Block, ChainTransaction, Receipt } from './chain.js'
import { matchTransfers } from './transfers.js'

/** A transaction that a block has, and how deep that block is. */
type Mined = { transaction: ChainTransaction; receipt: Receipt; confirmations: number }

export type PaymentCheck =
  /** The transaction did what the batch says and is final. */
  | ({ outcome: 'verified' } & Mined)
  /** It did something else, or nothing, and is final. */
  | ({ outcome: 'failed'; message: string } & Mined)
  /** It is not final yet; what it did may be another thing by then. */
  | ({ outcome: 'waiting' } & Mined)
  /** Its sender, recipient, value or data is not what was asked for, wherever it is mined. */
  | { outcome: 'mismatch'; message: string }

/** Compares a mined transaction that a user claims to have sent with the batch that it is to carry out. */
export function verifyPayment(options: {
  transaction: ChainTransaction
  receipt: Receipt
  head: Pick<Block, 'number'>
  batch: Pick<ChainBatch, 'tokenTransfers' | 'calls'>
  user: Address
  /** How many confirmations are needed, the including block among them. */
  confirmations: number
}): PaymentCheck {
  const { transaction, receipt, head, batch, user } = options
  const message = paymentMismatch(transaction, batch, user)
  if (message !== null) return { outcome: 'mismatch', message }

  const confirmations = depthOf(receipt.blockNumber, head.number)
  const mined = { transaction, receipt, confirmations }
  if (confirmations < options.confirmations) return { outcome: 'waiting', ...mined }
  // Not before: in another block it may do what it has failed at in this one.
  const failure = effectError(receipt, batch)
  return failure ? { outcome: 'failed', message: failure, ...mined } : { outcome: 'verified', ...mined }
}

/** What speaks against the transaction itself, mined or not; null: nothing does. */
export function paymentMismatch(
  transaction: ChainTransaction,
  batch: Pick<ChainBatch, 'tokenTransfers' | 'calls'>,
  user: Address,
): string | null {
  if (transaction.from !== user)
    return `The transaction was sent by ${getAddress(transaction.from)}, not by ${getAddress(user)}.`

  const recipient = transaction.to === null ? 'a new contract' : getAddress(transaction.to)
  const { calls, native, owed } = ownPartOf(batch)
  for (const call of calls) {
    if (transaction.to !== call.to) return `The transaction goes to ${recipient}, not to ${getAddress(call.to)}.`
    if (transaction.value !== call.value) return `The transaction's value is ${transaction.value}, not ${call.value}.`
    if (transaction.input !== call.data) return 'The data of the transaction is not that of the call.'
  }

  for (const { to } of native) {
    if (transaction.to !== to) return `The transaction pays ${recipient}, not ${getAddress(to)}.`
  }
  // A transaction has one value: several native transfers have to fit into it together.
  return transaction.value < owed ? `The transaction's value is ${transaction.value}; ${owed} is needed.` : null
}

/** What the transaction brought about. */
function effectError(receipt: Receipt, { tokenTransfers }: Pick<ChainBatch, 'tokenTransfers'>): string | null {
  if (receipt.status === 'reverted') return 'The transaction was mined and reverted.'
  const tokens = tokenTransfers.filter(({ token }) => token !== nativeToken)
  return matchTransfers({ tokenTransfers: tokens }, receipt.logs)
}
