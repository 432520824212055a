import type { Database } from '../../server/store/database.js'

/** Tables that stay small whatever the service does: a row per lane, per chain, per setting. */
const smallTables = ['lanes', 'chain_identities', 'known_contracts', 'service_state']

/** What most rows of a table may have in common; a search by nothing else goes through the table's whole history. */
const commonTerms = ['chain_id=?', 'token=?', 'signer=?', 'nonce<?', 'nonce>?']

/** Remembers every statement that a database is asked for from now on, and says which of them read whole tables, or as good as. */
export function watchQueries(database: Database) {
  const seen = new Map<string, readonly unknown[]>()
  let isTool = false
  database.knex.on('query', ({ sql, bindings }: { sql: string; bindings?: readonly unknown[] }) => {
    if (!isTool && /^(select|update|delete)\b/i.test(sql)) seen.set(sql, bindings ?? [])
  })

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
        const scanned = plan.flatMap(({ detail }) => {
          const [, searched, terms] = /^SEARCH (\w+) USING .*\((.*)\)$/.exec(detail) ?? []
          if (searched && terms!.split(' AND ').every((term) => commonTerms.includes(term))) return [searched]
          const [, table, index] = /^SCAN (\w+)( USING INDEX)?/.exec(detail) ?? []
          return table === undefined || table === 'CONSTANT' || (index && isPage) ? [] : [table]
        })
        if (scanned.some((table) => !smallTables.includes(table))) {
          found.push(`${sql}\n${plan.map(({ detail }) => `  ${detail}`).join('\n')}`)
        }
      }
      return found
    },
  }
}
