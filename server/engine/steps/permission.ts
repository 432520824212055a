import { type Address, getAddress } from 'viem'
import type { Chain } from '../../chain/chain.js'
import type { ChainAuthorization } from '../../domain/action.js'
import type { StepError } from '../../domain/errors.js'
import { runsCalls } from '../../domain/stepKind.js'
import type { StepWork } from '../../store/actions/steps.js'

type Permission =
  | {
      outcome: 'granted'
      /** Null: the account is delegated already, or no call runs in it. */
      authorization: ChainAuthorization | null
      /** The delegate that the account borrows then. Null: no call runs in it. */
      delegate: Address | null
    }
  | { outcome: 'refused'; error: StepError }

/**
 * The delegate that an authorization given for the chain names, before the account is looked at. Null: there is none.
 */
export function namedDelegate(work: StepWork, chain: Chain): Address | null {
  if (!runsCalls(work)) return null
  return givenFor(work).find(({ address }) => chain.config.delegates.includes(address))?.address ?? null
}

/**
 * Whether the user's account can run the batch: it borrows an allowed delegate already, or the action holds an
 * authorization for exactly its present nonce (EIP-7702 skips any other silently).
 */
export async function findPermission(work: StepWork, chain: Chain): Promise<Permission> {
  if (!runsCalls(work)) return { outcome: 'granted', authorization: null, delegate: null }
  const [account] = await chain.accounts([work.user], 'pending')
  if (!account) throw new Error('No account read')
  if (account.hasForeignCode) {
    return refused(
      'account_not_delegated',
      `${getAddress(work.user)} is a contract and can't borrow a delegate.`,
      false,
    )
  }
  if (account.delegate !== null && chain.config.delegates.includes(account.delegate)) {
    return { outcome: 'granted', authorization: null, delegate: account.delegate }
  }
  const given = givenFor(work)
  if (given.length === 0) {
    return refused(
      'authorization_missing',
      `${getAddress(work.user)} is not delegated on chain ${work.batch.chainId} and the action has no authorization for it.`,
      true,
    )
  }
  // An allowed delegate when the action was posted may be allowed no more.
  const allowed = given.filter(({ address }) => chain.config.delegates.includes(address))
  if (allowed.length === 0) {
    const names = given.map(({ address }) => getAddress(address)).join(', ')
    return refused(
      'authorization_invalid',
      `The authorization for chain ${work.batch.chainId} names ${names}, which is not allowed as a delegate any more; ` +
        'see GET /chains.',
      true,
    )
  }
  const match = allowed.find(({ nonce }) => nonce === account.nonce)
  if (match) return { outcome: 'granted', authorization: match, delegate: match.address }
  return refused(
    'authorization_invalid',
    `The authorization for chain ${work.batch.chainId} is for nonce ${allowed.map(({ nonce }) => nonce).join(', ')}, ` +
      `the account's nonce is ${account.nonce}.`,
    true,
  )
}

function givenFor({ chainAuthorizations, batch }: StepWork): ChainAuthorization[] {
  return chainAuthorizations.filter(({ chainId }) => chainId === batch.chainId)
}

function refused(
  code: 'authorization_missing' | 'authorization_invalid' | 'account_not_delegated',
  message: string,
  retryable: boolean,
): Permission {
  return { outcome: 'refused', error: { code, message, retryable } }
}
