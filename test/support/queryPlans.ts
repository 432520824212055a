import type { Database } from '../../server/store/connection/database.js'

/** Tables that stay small whatever the service does: a row per lane, per chain, per setting. */
const smallTables = ['lanes', 'chain_identities', 'known_contracts', 'service_state']

/** What most rows of a table may have in common; a search by nothing else goes through the table's whole history. */
const commonTerms = ['chain_id=?', 'token=?', 'signer=?', 'nonce<?', 'nonce>?', 'block_number<?']

/**
 * Remembers every statement that a database is asked for from now on, and says which of them
 * read whole tables, or as good as.
 */
export function watchQueries(database: Database) {
  const seen = new Map<string, readonly unknown[]>()
  let isTool = false
  const note = ({ sql, bindings }: { sql: string; bindings?: readonly unknown[] }) => {
    if (!isTool && /^(select|update|delete)\b/i.test(sql)) seen.set(sql, bindings ?? [])
  }
  // The statements of the engine and of probes have a client of their own.
  for (const knex of new Set([database.knex, database.urgent.knex])) knex.on('query', note)

  return {
    count: () => seen.size,
    /** What a tool reads that runs beside the service, if at all, may be everything. */
    async leaveOut<T>(tool: () => Promise<T>): Promise<T> {
      isTool = true
      return tool().finally(() => (isTool = false))
    },
    /** As SQLite plans them, which takes an index wherever there is one. */
    async scans(): Promise<string[]> {
      const found: string[] = []
      for (const [sql, bindings] of [...seen]) {
        const plan: { detail: string }[] = await database.knex.raw(`EXPLAIN QUERY PLAN ${sql}`, [
          ...bindings,
        ] as string[])
        // A page of a table in the order of an index ends after so many rows.
        const isPage = / limit \?/.test(sql) && !/ where /.test(sql)
        // Made of what the lines beside it say.
        const derived = plan.flatMap(({ detail }) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)$/.exec(detail)?.[1] ?? [])
        const scanned = plan.flatMap(({ detail }) => {
          const [, searched, terms] = /^SEARCH (\w+) USING .*\((.*)\)$/.exec(detail) ?? []
          if (searched && terms!.split(' AND ').every((term) => commonTerms.includes(term))) return [searched]
          const [, table, index] = /^SCAN (\w+)( USING (?:COVERING )?INDEX)?/.exec(detail) ?? []
          return table === undefined || [...derived, 'CONSTANT'].includes(table) || (index && isPage) ? [] : [table]
        })
        if (scanned.some((table) => !smallTables.includes(table))) {
          found.push(`${sql}\n${plan.map(({ detail }) => `  ${detail}`).join('\n')}`)
        }
      }
      return found
    },
  }
}

/** How a database goes about the first statement on a table that answers what is asked, in its own words. */
export async function planOf<T>(
  database: Database,
  table: string,
  ask: () => Promise<T>,
): Promise<{ answer: T; plan: string }> {
  const seen: { sql: string; bindings: string[] }[] = []
  const note = (query: { sql: string; bindings: string[] }) => void seen.push(query)
  database.knex.on('query', note)
  const answer = await ask().finally(() => database.knex.removeListener('query', note))
  const { sql, bindings } = seen.find((query) => query.sql.includes(`from \`${table}\``))!
  if (database.kind === 'sqlite') {
    const plan: { detail: string }[] = await database.knex.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings)
    return { answer, plan: plan.map(({ detail }) => detail).join('\n') }
  }
  const [[explained]] = (await database.knex.raw(`EXPLAIN FORMAT=JSON ${sql}`, bindings)) as [[{ EXPLAIN: string }]]
  return { answer, plan: JSON.stringify(JSON.parse(explained.EXPLAIN)) }
}
