import type { Chain } from '../chain/chain.js'
import type { ChainAuthorization, ChainBatch } from '../domain/action.js'
import type { StepError } from '../domain/errors.js'
import type { StepWork } from '../store/steps.js'

export type Permission =
  /** Null: the account is delegated already, or no call runs in it. */
  { outcome: 'granted'; authorization: ChainAuthorization | null } | { outcome: 'refused'; error: StepError }

/**
 * Whether the user's account can run the batch: it borrows an allowed delegate already, or the action holds an
 * authorization for exactly its present nonce (EIP-7702 skips any other silently).
 */
export async function findPermission(work: StepWork, batch: ChainBatch, chain: Chain): Promise<Permission> {
  if (work.intent.mode !== '7702' || batch.calls.length === 0) return { outcome: 'granted', authorization: null }
  const [account] = await chain.accounts([work.user], 'pending')
  if (!account) throw new Error('No account read')
  if (account.hasForeignCode) {
    return refused('account_not_delegated', `${work.user} is a contract and can't borrow a delegate.`, false)
  }
  if (account.delegate !== null && chain.config.delegates.includes(account.delegate)) {
    return { outcome: 'granted', authorization: null }
  }
  const given = work.chainAuthorizations.filter((authorization) => authorization.chainId === batch.chainId)
  if (given.length === 0) {
    return refused(
      'authorization_missing',
      `${work.user} is not delegated on chain ${batch.chainId} and the action has no authorization for it.`,
      true,
    )
  }
  const match = given.find(
    (authorization) => authorization.nonce === account.nonce && chain.config.delegates.includes(authorization.address),
  )
  if (match) return { outcome: 'granted', authorization: match }
  return refused(
    'authorization_invalid',
    `The authorization for chain ${batch.chainId} is for nonce ${given.map((a) => a.nonce).join(', ')}, ` +
      `the account's nonce is ${account.nonce}.`,
    true,
  )
}

function refused(
  code: 'authorization_missing' | 'authorization_invalid' | 'account_not_delegated',
  message: string,
  retryable: boolean,
): Permission {
  return { outcome: 'refused', error: { code, message, retryable } }
}
