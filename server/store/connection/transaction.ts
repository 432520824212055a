import type { Knex } from 'knex'

/**
 * The statements of one database transaction; `Database.transact` makes it, and it is over when that ends. Each trip to
 * the database takes along what was put off till then, BEGIN the first time, so that a transaction costs as many trips
 * as it has answers to wait for.
 */
export type Transaction = {
  <Row extends object = UnknownRow>(table: string): ReturnType<typeof _selectFrom<Row>>
  raw(sql: string, bindings?: readonly Knex.RawBinding[]): Knex.Raw
  /**
   * Puts off a statement whose answer nobody needs: it goes with the next one that is awaited, before it, or with COMMIT.
   * What it throws is thrown there, so it must be nothing that is caught in between.
   */
  later(statement: Statement): void
  /** Runs statements of which none needs another's answer by one trip, in the order given. */
  together<const S extends readonly Statement[]>(...statements: S): Promise<{ -readonly [I in keyof S]: Awaited<S[I]> }>
}

export type Statement = Knex.QueryBuilder | Knex.Raw

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- Knex's own word for a row of a table that was not described.
type UnknownRow = any

/** For its type. */
const _selectFrom = <Row extends object>(knex: Knex, table: string) => knex<Row>(table)

/** What this file needs of a Knex client; a dialect's own methods, which Knex's runner calls as well. */
export type Client = {
  queryBuilder(): Knex.QueryBuilder
  raw(...args: unknown[]): Knex.Raw
  query(connection: unknown, statement: Compiled): Promise<Answered>
  processResponse(answered: Answered, runner: object): unknown
}

type Compiled = { sql: string; bindings?: readonly unknown[]; method?: string }
type Answered = Compiled & { response?: unknown }

/** Takes statements together to the database and answers each. */
type Trip = (statements: readonly Compiled[]) => Promise<unknown[]>

/**
 * Runs the closure between BEGIN and COMMIT on a connection that is its own until then. Whatever fails is thrown after a
 * ROLLBACK; `abandon` hears when that fails too and the connection's state is unknown. After a statement that has failed
 * nothing more is run, whatever the closure makes of it.
 * `joins`: the connection takes several statements at once, separated by semicolons (MySQL's `multipleStatements`). Not on
 * a Galera cluster: it may abort a transaction between two statements of a packet, and then runs the rest of it, COMMIT
 * too, as if nothing had happened.
 */
export async function runTransaction<T>(
  client: Client,
  connection: unknown,
  options: { joins: boolean; abandon: (reason: unknown) => void },
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  let putOff: Statement[] = []
  let state: 'unbegun' | 'open' | 'closing' | 'over' = 'unbegun'
  /** Trips follow each other: none may run without BEGIN, or past one that has failed. */
  let last: Promise<unknown> = Promise.resolve()

  const refuseIf = (isOver: boolean) => {
    if (isOver) throw new Error('The transaction is over.')
  }
  const run = async (statements: readonly Statement[]): Promise<unknown[]> => {
    const opening = state === 'unbegun' ? [{ sql: 'BEGIN' }] : []
    const before = putOff
    state = state === 'unbegun' ? 'open' : state
    putOff = []
    // In the chain, so that nothing runs past one that can't even be written down.
    const answered = last.then(() => {
      refuseIf(state === 'over')
      return go([...opening, ...before.map(compile), ...statements.map(compile)])
    })
    last = answered
    return (await answered).slice(opening.length + before.length)
  }
  const ask = async (statements: readonly Statement[]): Promise<unknown[]> => {
    refuseIf(state === 'closing' || state === 'over')
    return run(statements)
  }
  // Builders ask their client for what runs them.
  const bound = Object.create(client, {
    transacting: { value: true },
    runner: { value: (statement: Statement) => ({ run: async () => (await ask([statement]))[0] }) },
  }) as Client
  const go = options.joins ? inOneTrip(bound, connection) : oneByOne(bound, connection)
  const trx = Object.assign((table: string) => bound.queryBuilder().table(table), {
    raw: (...args: unknown[]) => bound.raw(...args),
    later(statement: Statement) {
      refuseIf(state === 'closing' || state === 'over')
      putOff.push(statement)
    },
    together: (...statements: Statement[]) => ask(statements),
  }) as unknown as Transaction

  try {
    const result = await work(trx)
    const isIdle = state === 'unbegun' && putOff.length === 0
    if (!isIdle) {
      const committed = run([bound.raw('COMMIT')])
      state = 'closing'
      await committed
    }
    return result
  } catch (error) {
    const wasBegun = state !== 'unbegun'
    // What still waits for its trip must not run behind the ROLLBACK, where it would be stored.
    state = 'over'
    await last.catch(() => undefined)
    // After 1205, and in SQLite after a failed COMMIT, it is still open: without this the next one would commit half of it.
    if (wasBegun) await go([{ sql: 'ROLLBACK' }]).catch(options.abandon)
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

/** SQLite's are calls, which need no trip. */
function oneByOne(client: Client, connection: unknown): Trip {
  return async (statements) => {
    const answers: unknown[] = []
    for (const statement of statements) {
      answers.push(client.processResponse(await client.query(connection, statement), {}))
    }
    return answers
  }
}

/** MySQL runs none after one that failed. */
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
