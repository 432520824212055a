import type { Address } from 'viem'
import type { Database } from './connection/database.js'
import { aheadStatuses } from './journal/lanes.js'

/**
 * How much has begun on a chain and has not ended. Lanes that are ahead count too: nobody could resume one once the
 * chain is gone from the configuration, and payouts on credit would be held for ever.
 */
export type UnderWay = { steps: number; transactions: number; deposits: number; airdrops: number; lanesAhead: number }

export async function readUnderWay(database: Database, chainId: number): Promise<UnderWay> {
  const { knex } = database
  const count = async (query: ReturnType<typeof knex>) => {
    const row = (await query.where({ chain_id: chainId }).first(knex.raw('count(*) as found'))) as {
      found: number | string
    }
    return Number(row.found)
  }
  const [steps, transactions, deposits, airdrops, lanesAhead] = await Promise.all([
    // A step or an airdrop that a transaction carries is not due; the transaction is open then, and counts.
    count(knex('steps').where({ status: 'executing' }).where('due_at', '>=', 0)),
    count(knex('transactions').where({ status: 'open' })),
    count(knex('deposits').where({ status: 'pending' })),
    count(knex('airdrops').where({ status: 'executing' }).where('due_at', '>=', 0)),
    count(knex('lanes').whereIn('status', aheadStatuses)),
  ])
  return { steps, transactions, deposits, airdrops, lanesAhead }
}

/** How many steps are under way on other chains that steps on this chain follow in the same intent. */
export async function countLeadingTo(database: Database, chainId: number): Promise<number> {
  const { knex } = database
  const row = (await knex('steps as under_way')
    .where('under_way.status', 'executing')
    .whereNot('under_way.chain_id', chainId)
    .whereExists((later) =>
      later
        .select(knex.raw('1'))
        .from('steps as later')
        .where('later.action_id', knex.ref('under_way.action_id'))
        .where('later.intent_index', knex.ref('under_way.intent_index'))
        .where('later.step_index', '>', knex.ref('under_way.step_index'))
        .where('later.chain_id', chainId),
    )
    .first(knex.raw('count(*) as found'))) as { found: number | string }
  return Number(row.found)
}

/**
 * How many steps are under way on other chains that no transaction carries yet, and whose action has earned credit on
 * this chain, from which they may be paid. `token`: only credit in this one counts; null: in any.
 */
export async function countFundedFrom(database: Database, chainId: number, token: Address | null): Promise<number> {
  const { knex } = database
  const row = (await knex('steps as under_way')
    .where('under_way.status', 'executing')
    .whereNot('under_way.chain_id', chainId)
    .whereNull('under_way.transaction_id')
    .whereNot('under_way.kind', 'payment')
    .whereExists((earned) => {
      const credits = earned
        .select(knex.raw('1'))
        .from('credits')
        .where('credits.action_id', knex.ref('under_way.action_id'))
        .where({ 'credits.chain_id': chainId, 'credits.is_open': 1, 'credits.is_lost': 0 })
      if (token !== null) void credits.where('credits.token', token)
    })
    .first(knex.raw('count(*) as found'))) as { found: number | string }
  return Number(row.found)
}

/** Whether somebody has credit, or anything under way. */
export async function isUser({ knex }: Database, user: Address): Promise<boolean> {
  const found = await Promise.all([
    knex('balances')
      .where({ user })
      .where((these) => these.whereNot('available', '0').orWhereNot('reserved', '0'))
      .first('user'),
    knex('actions').where({ user, status: 'executing' }).first('user'),
    knex('deposits').where({ user, status: 'pending' }).first('user'),
  ])
  return found.some((row) => row !== undefined)
}
