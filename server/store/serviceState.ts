import type { Database } from './database.js'

/** Whether an operator has asked all replicas to accept nothing new. */
export async function readDraining(database: Database): Promise<boolean> {
  const row = await database.knex<{ name: string; value: string }>('service_state').where({ name: 'drain' }).first()
  return row?.value === 'on'
}

export async function setDraining(database: Database, draining: boolean, now: number): Promise<void> {
  const value = draining ? 'on' : 'off'
  await database.write((knex) =>
    knex('service_state')
      .insert({ name: 'drain', value, updated_at: now })
      .onConflict(['name'])
      .merge(['value', 'updated_at']),
  )
}

/** What is still under way: the oldest step that was asked for, and how many there are. Times in unix milliseconds. */
export async function readWaiting(database: Database): Promise<{ steps: number; oldestAt: number | null }> {
  const row = (await database
    .knex('steps')
    // Not 'is not null', for which SQLite does not take the index.
    .where('due_at', '>=', 0)
    .first(database.knex.raw('count(*) as waiting, min(updated_at) as oldest'))) as {
    waiting: number | string
    oldest: number | string | null
  }
  return { steps: Number(row.waiting), oldestAt: row.oldest === null ? null : Number(row.oldest) }
}

/** Transactions of a chain that were signed before this time and have not been seen mined. */
export async function readStuck(
  database: Database,
  chainId: number,
  before: number,
): Promise<{ open: number; stuck: number; lowestNonce: number | null }> {
  const open = database.knex('transactions').where({ chain_id: chainId, status: 'open' })
  const [all, stuck] = await Promise.all([
    open.clone().count({ found: '*' }).first(),
    open
      .clone()
      .whereNull('mined_block')
      .where('created_at', '<', before)
      .first(database.knex.raw('count(*) as found, min(nonce) as lowest')),
  ])
  const { found, lowest } = stuck as unknown as { found: number | string; lowest: number | null }
  return { open: Number(all?.['found'] ?? 0), stuck: Number(found), lowestNonce: lowest }
}
