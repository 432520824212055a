import type { Database } from './connection/database.js'

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

const checkedBlock = (chainId: number) => `checked ${chainId}`

/** The newest block of a chain at the last check of settled blocks against the chain. Null: there was none. */
export async function readCheckedBlock(database: Database, chainId: number): Promise<number | null> {
  const name = checkedBlock(chainId)
  const row = await database.knex<{ name: string; value: string }>('service_state').where({ name }).first()
  return row ? Number(row.value) : null
}

/**
 * Where two replicas check, the last to write wins; a lower block only has the next check go back further than it must.
 */
export async function noteCheckedBlock(
  database: Database,
  { chainId, number }: { chainId: number; number: number },
  now: number,
): Promise<void> {
  const row = { name: checkedBlock(chainId), value: String(number), updated_at: now }
  await database.transact(
    async (trx) => trx.later(trx('service_state').insert(row).onConflict(['name']).merge(['value', 'updated_at'])),
    { durable: false, patient: false },
  )
}
