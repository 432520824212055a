export type SqliteConnection = { pragma(text: string): unknown; prepare(sql: string): unknown }

/** How many statements stay prepared, with what was last bound to them; those with lists are one for each length. */
const mostPrepared = 500

/** Has a statement that comes again used again: to prepare one takes as long as to run it. */
export function keepPrepared(connection: SqliteConnection): void {
  const prepare = connection.prepare.bind(connection)
  const prepared = new Map<string, unknown>()
  connection.prepare = (sql) => {
    const statement = prepared.get(sql) ?? withReader(prepare(sql) as SqliteStatement)
    // The one that was not used for longest is the first.
    prepared.delete(sql)
    prepared.set(sql, statement)
    if (prepared.size > mostPrepared) prepared.delete(prepared.keys().next().value!)
    return statement
  }
}

/** Knex asks each time whether it answers rows, and the driver SQLite each time; a statement does or does not. */
function withReader(statement: SqliteStatement): SqliteStatement {
  return Object.defineProperty(statement, 'reader', { value: statement.reader })
}

type SqliteStatement = { readonly reader: boolean }
