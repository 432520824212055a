export type SqliteConnection = { pragma(text: string): unknown; prepare(sql: string): unknown }

/**
 * How many statements stay prepared, with the values last bound to them. A statement with
 * a list counts once per length.
 */
const mostPrepared = 500

/** Uses a prepared statement again when its SQL comes again: to prepare one takes as long as to run it. */
export function keepPrepared(connection: SqliteConnection): void {
  const prepare = connection.prepare.bind(connection)
  const prepared = new Map<string, unknown>()
  connection.prepare = (sql) => {
    const statement = prepared.get(sql) ?? withReader(prepare(sql) as SqliteStatement)
    // Put last, so that the first of the map is the one that was not used for longest.
    prepared.delete(sql)
    prepared.set(sql, statement)
    if (prepared.size > mostPrepared) prepared.delete(prepared.keys().next().value!)
    return statement
  }
}

/**
 * Fixes `reader` (whether a statement answers rows), which never changes: Knex reads it on
 * each run, the driver from SQLite.
 */
function withReader(statement: SqliteStatement): SqliteStatement {
  return Object.defineProperty(statement, 'reader', { value: statement.reader })
}

type SqliteStatement = { readonly reader: boolean }
