import type { Address } from 'viem'
import { mostDraws } from '../../domain/funding.js'
import type { SolverNeed } from '../../domain/solverNeeds.js'
import { groupBy } from '../../lists/groupBy.js'
import type { Transaction } from '../connection/database.js'
import type { CreditRow } from '../rows.js'
import { writtenTogether } from '../writtenTogether.js'

/** Up to so many open credits of a user are all read; of more, only those that a step may draw on. */
const mostRead = 2 * mostDraws

/** Whose credit is used, and what decides which comes first (see `orderCredits`). */
type CreditUse = { user: Address; actionId: string; chainId: number; signed: boolean }

/**
 * The open credits that a step may draw on for what it needs, locked. Where a user has very many, only those
 * that `planFunding` can choose: of the tokens of each need the credits that come first in order, and the
 * largest. So a request takes no longer than with a few credits, even if somebody has sent a hundred thousand
 * tiny amounts to the vault for the user.
 */
export async function lockOpenCredits(
  trx: Transaction,
  use: CreditUse,
  needs: readonly SolverNeed[],
): Promise<CreditRow[]> {
  const openOnes = () => trx<CreditRow>('credits').where({ user: use.user, is_open: 1 })
  const first = await trx.lock(
    openOnes()
      .orderBy('id')
      .limit(mostRead + 1),
  )
  if (first.length <= mostRead) return first

  // Unlocked: whoever sets credit aside has locked the user's first credits above, so no
  // other step takes any meanwhile.
  const ids = new Set<number>()
  for (const members of tokenGroups(needs)) {
    const lookFor = async (some: SolverNeed['members'], order: string, bindings: (string | number)[] = []) => {
      const rows = await openOnes()
        .whereNot('available', '0')
        .where(use.signed ? {} : { action_id: use.actionId })
        .whereIn(
          ['chain_id', 'token'],
          some.map(({ chainId, token }) => [chainId, token]),
        )
        .orderByRaw(`${order}, id`, bindings)
        .limit(mostDraws)
        .select('id')
      for (const { id } of rows) ids.add(id)
    }
    const ownFirst = 'CASE WHEN action_id = ? THEN 0 ELSE 1 END, CASE WHEN chain_id = ? THEN 0 ELSE 1 END'
    await lookFor(members, ownFirst, [use.actionId, use.chainId])
    for (const alike of groupBy(members, ({ decimals }) => decimals).values()) {
      // Amounts are decimal strings without leading zeros: of two, the longer one is the larger.
      await lookFor(alike, 'LENGTH(available) DESC, available DESC')
    }
  }
  const locked: CreditRow[] = []
  for (const part of writtenTogether([...ids].sort((a, b) => a - b))) {
    locked.push(...(await trx.lock(trx<CreditRow>('credits').whereIn('id', part).orderBy('id'))))
  }
  return locked
}

/** The tokens that each need may be paid from; needs with the same tokens share a group. */
function tokenGroups(needs: readonly SolverNeed[]): SolverNeed['members'][] {
  const named = new Map(needs.map(({ members }) => [JSON.stringify(members), members]))
  return [...named.values()]
}
