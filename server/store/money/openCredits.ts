import type { Address } from 'viem'
import { mostDraws } from '../../domain/funding.js'
import type { SolverNeed } from '../../domain/solverNeeds.js'
import { groupBy } from '../../lists/groupBy.js'
import type { Database, Transaction } from '../connection/database.js'
import type { CreditRow } from '../rows.js'
import { writtenTogether } from '../writtenTogether.js'

/** Of how many credits a user may have open before it is only looked at what may be drawn on. */
const mostRead = 2 * mostDraws

/** Whose credit, and what of it comes first (see `orderCredits`). */
type CreditUse = { user: Address; actionId: string; chainId: number; signed: boolean }

/**
 * The open credits that a step may draw on for what it needs, locked. Where a user has very many, only those that
 * `planFunding` can come to: of the tokens of each need those that come first, and the largest. What a step asks for then takes no longer
 * than if there were a few, whoever has a hundred thousand tiny amounts sent to the vault.
 */
export async function lockOpenCredits(
  database: Database,
  trx: Transaction,
  use: CreditUse,
  needs: readonly SolverNeed[],
): Promise<CreditRow[]> {
  const openOnes = () => trx<CreditRow>('credits').where({ user: use.user, is_open: 1 })
  const first = await database.lock(
    openOnes()
      .orderBy('id')
      .limit(mostRead + 1),
  )
  if (first.length <= mostRead) return first

  // Whatever sets credit aside locks the first of it, so that no other step takes any in the meantime.
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
      // Digits without zeros before them: the longer number is the larger one.
      await lookFor(alike, 'LENGTH(available) DESC, available DESC')
    }
  }
  const locked: CreditRow[] = []
  for (const part of writtenTogether([...ids].sort((a, b) => a - b))) {
    locked.push(...(await database.lock(trx<CreditRow>('credits').whereIn('id', part).orderBy('id'))))
  }
  return locked
}

/** The tokens that each need may be paid from, those of several once. */
function tokenGroups(needs: readonly SolverNeed[]): SolverNeed['members'][] {
  const named = new Map(needs.map(({ members }) => [JSON.stringify(members), members]))
  return [...named.values()]
}
