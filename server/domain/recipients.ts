import { type Address, getAddress } from 'viem'
import { type ChainBatch, type Intent } from './action.js'
import { ServiceError } from './errors.js'

/**
 * Whom the solver may pay. Anyone can see a user's payment on chain and name its hash, so without the user's
 * signature over the transfers (`eip712`) money goes to nobody but the user himself.
 */
export function isRecipientAllowed(user: Address, intent: Intent, to: Address): boolean {
  return to === user || (intent.mode === '7702' && intent.signatureType === 'eip712')
}

/** Throws `recipient_not_allowed` for a solver transfer that would pay someone else. */
export function requireAllowedRecipients(user: Address, intent: Intent, batch: ChainBatch): void {
  for (const transfer of batch.tokenTransfers) {
    if (transfer.from !== 'solver' || isRecipientAllowed(user, intent, transfer.to)) continue
    throw new ServiceError(
      'recipient_not_allowed',
      `The solver pays ${getAddress(transfer.to)} only in an intent signed as eip712; without it, only the user.`,
    )
  }
}
