/**
 * Makes a migrated SQLite file and runs statements in it, in a process of its own: within one, the file stays locked
 * for a while after it was closed. Usage: node prepareDatabase.js <file> <statement…>
 */
import { createDatabase } from '../../server/store/connection/database.js'

const [file = '', ...statements] = process.argv.slice(2)
const database = createDatabase({ kind: 'sqlite', file })
await database.migrate()
for (const statement of statements) await database.knex.raw(statement)
await database.close()
