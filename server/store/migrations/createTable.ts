import type { Knex } from 'knex'

/** MySQL's errors for a table, or an index, that exists already, and for an index that does not. */
const isDone = new Set([1050, 1061, 1091])

/**
 * Creates a table, or what is still missing of it. MySQL commits every statement that changes the schema by
 * itself, so a start that was killed in the middle leaves tables behind, or one without its indexes; the
 * next start goes on from there.
 */
export async function createTable(
  knex: Knex,
  name: string,
  build: (table: Knex.CreateTableBuilder) => void,
): Promise<void> {
  await runMissing(knex, knex.schema.createTable(name, build))
}

/**
 * Adds indexes to a table, or those of them that are still missing after a start that was killed. On MySQL all by one
 * statement: each statement reads the whole table, and on a cluster all nodes stand still for it.
 */
export async function addIndexes(
  knex: Knex,
  name: string,
  build: (table: Knex.AlterTableBuilder) => void,
): Promise<void> {
  const change = knex.schema.alterTable(name, build)
  if (knex.client.config.client !== 'mysql2') return runMissing(knex, change)
  const [rows] = (await knex.raw('show index from ??', [name])) as [{ Key_name: string }[]]
  const known = new Set(rows.map((row) => row.Key_name))
  // Such as: alter table `steps` add index `by_user`(`user`, `id`)
  const additions = (change.toSQL() as unknown as { sql: string }[])
    .map(({ sql }) => /^alter table `\w+` (add index `(\w+)`.+)$/.exec(sql)!)
    .filter(([, , index]) => !known.has(index!))
  if (additions.length > 0)
    await knex.raw(`alter table ?? ${additions.map(([, addition]) => addition).join(', ')}`, [name])
}

/** Drops the index of these columns, if a start that was killed has not. */
export async function dropIndex(knex: Knex, name: string, columns: readonly string[]): Promise<void> {
  await runMissing(
    knex,
    knex.schema.alterTable(name, (t) => t.dropIndex([...columns])),
  )
}

/** Runs the statements that no start before has run. Only MySQL keeps those of a start that was killed. */
async function runMissing(knex: Knex, change: Knex.SchemaBuilder): Promise<void> {
  const statements = change.toSQL() as unknown as { sql: string; bindings?: unknown[] }[]
  for (const { sql, bindings } of [statements].flat()) {
    try {
      await knex.raw(sql, (bindings ?? []) as Knex.RawBinding[])
    } catch (error) {
      if (!isDone.has((error as { errno?: number }).errno ?? 0)) throw error
    }
  }
}
