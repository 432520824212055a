import type { Knex } from 'knex'
import type { Transaction } from './database.js'
import { createDialect } from './dialect.js'
import type { DatabaseConfig } from './openDatabase.js'

export type Statement = Knex.QueryBuilder | Knex.Raw

/** What this file needs of a Knex client: methods of the dialect, which Knex's own runner calls too. */
export type Client = {
  queryBuilder(): Knex.QueryBuilder
  raw(...args: unknown[]): Knex.Raw
  query(connection: unknown, statement: Compiled): Promise<Answered>
  processResponse(answered: Answered, runner: object): unknown
}

type Compiled = { sql: string; bindings?: readonly unknown[]; method?: string }
type Answered = Compiled & { response?: unknown }

/** Takes statements to the database and answers with the result of each. */
type Trip = (statements: readonly Compiled[]) => Promise<unknown[]>

/**
 * Runs the closure between BEGIN and COMMIT, on a connection that nobody else uses until then. Whatever fails is thrown
 * after a ROLLBACK; `abandon` is called when the ROLLBACK fails too and the connection's state is unknown. After a
 * statement that has failed nothing more is run, even where the closure catches the error.
 *
 * States: `unbegun`: nothing was sent yet; statements may have been put off. `open`: BEGIN was sent with the first
 * trip, and further statements may follow. `closing`: COMMIT is on its way, and no further statement is taken.
 * `over`: committed, or failed; after a failure, statements that still wait for their trip are refused, and ROLLBACK
 * is sent if BEGIN was. `unbegun` → `open` by the first trip, which is COMMIT's where all was put off. `open` →
 * `closing` when the closure has returned. → `over` from any of them: once COMMIT has answered, at any failure, or at
 * once where there was nothing to run.
 *
 * `joins`: the connection takes several statements at once, separated by semicolons (MySQL's `multipleStatements`). Not
 * on a Galera cluster: it may abort a transaction between two statements of a packet, and then runs the rest of it,
 * COMMIT too, as if nothing had happened.
 */
export async function runTransaction<T>(
  client: Client,
  connection: unknown,
  options: {
    kind: DatabaseConfig['kind']
    joins: boolean
    notice: Transaction['notice']
    abandon: (reason: unknown) => void
  },
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  let putOff: Statement[] = []
  let state: 'unbegun' | 'open' | 'closing' | 'over' = 'unbegun'
  /**
   * The newest trip. Each waits for the one before it: none may run before BEGIN has, or after a trip that has failed.
   */
  let last: Promise<unknown> = Promise.resolve()

  const refuseIf = (isOver: boolean) => {
    if (isOver) throw new Error('The transaction is over.')
  }
  /**
   * One trip, with BEGIN and what was put off before the statements; answers with the results of the statements alone.
   */
  const dispatch = async (statements: readonly Statement[]): Promise<unknown[]> => {
    const opening = state === 'unbegun' ? [{ sql: 'BEGIN' }] : []
    const before = putOff
    state = state === 'unbegun' ? 'open' : state
    putOff = []
    // Compiled only after the trip before, so that a statement that can't be compiled fails its trip, and all after it.
    const answered = last.then(() => {
      refuseIf(state === 'over')
      return send([...opening, ...before.map(compile), ...statements.map(compile)])
    })
    last = answered
    return (await answered).slice(opening.length + before.length)
  }
  const query = async (statements: readonly Statement[]): Promise<unknown[]> => {
    refuseIf(state === 'closing' || state === 'over')
    return dispatch(statements)
  }
  // Knex's builders ask their client for a runner when they are awaited.
  const bound = Object.create(client, {
    transacting: { value: true },
    runner: { value: (statement: Statement) => ({ run: async () => (await query([statement]))[0] }) },
  }) as Client
  const send = options.joins ? inOneTrip(bound, connection) : oneByOne(bound, connection)
  const raw = (...args: unknown[]) => bound.raw(...args)
  const trx = Object.assign((table: string | Knex.Raw) => bound.queryBuilder().table(table), {
    ...createDialect(options.kind, raw),
    raw,
    notice: options.notice,
    later(statement: Statement) {
      refuseIf(state === 'closing' || state === 'over')
      putOff.push(statement)
    },
    together: (...statements: Statement[]) => query(statements),
  }) as unknown as Transaction

  try {
    const result = await work(trx)
    const isIdle = state === 'unbegun' && putOff.length === 0
    if (!isIdle) {
      const committed = dispatch([bound.raw('COMMIT')])
      state = 'closing'
      await committed
    }
    return result
  } catch (error) {
    const wasBegun = state !== 'unbegun'
    // A statement that still waits for its trip must not run after the ROLLBACK: outside of any
    // transaction it would be stored.
    state = 'over'
    await last.catch(() => undefined)
    // After a lock-wait timeout (1205), and in SQLite after a failed COMMIT, the transaction is still open: without the
    // ROLLBACK the connection's next transaction would commit half of it.
    if (wasBegun) await send([{ sql: 'ROLLBACK' }]).catch(options.abandon)
    throw error
  } finally {
    state = 'over'
  }
}

function compile(statement: Statement): Compiled {
  const compiled = statement.toSQL() as Compiled | Compiled[]
  if (Array.isArray(compiled)) throw new Error('A transaction of the store changes no schema.')
  return compiled
}

/** For SQLite, where a statement is a call and no trip, and for Galera, where none may be joined. */
function oneByOne(client: Client, connection: unknown): Trip {
  return async (statements) => {
    const answers: unknown[] = []
    for (const statement of statements) {
      answers.push(client.processResponse(await client.query(connection, statement), {}))
    }
    return answers
  }
}

/** All in one packet. MySQL runs none of the statements after one that failed. */
function inOneTrip(client: Client, connection: unknown): Trip {
  return async (statements) => {
    if (statements.length === 1) return oneByOne(client, connection)(statements)
    const { response } = await client.query(connection, {
      sql: statements.map(({ sql }) => sql).join(';\n'),
      bindings: statements.flatMap(({ bindings = [] }) => bindings),
    })
    const [results, fields] = response as [unknown[], unknown[]]
    return statements.map((statement, index) =>
      client.processResponse({ ...statement, response: [results[index], fields[index]] }, {}),
    )
  }
}
