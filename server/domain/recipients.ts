import { type Address, getAddress } from 'viem'
import { type ChainBatch, type Intent } from './action.js'

/**
 * Whom the solver may pay. Anyone can see a user's payment on chain and name its hash, so without the user's
 * signature over the transfers (`eip712`) money goes to nobody but the user himself.
 */
export function isRecipientAllowed(user: Address, intent: Intent, to: Address): boolean {
  return to === user || (intent.mode === '7702' && intent.signatureType === 'eip712')
}

/**
 * What `recipient_not_allowed` says of a batch in which the solver would pay someone else. Null: it pays nobody else.
 */
export function forbiddenRecipient(user: Address, intent: Intent, batch: ChainBatch): string | null {
  const forbidden = batch.tokenTransfers.find(
    ({ from, to }) => from === 'solver' && !isRecipientAllowed(user, intent, to),
  )
  return forbidden
    ? `The solver pays ${getAddress(forbidden.to)} only in an intent signed as eip712; without it, only the user.`
    : null
}
