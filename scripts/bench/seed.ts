/** Stores actions in a database, in a process of its own: what had a SQLite file open keeps it locked until it ends. */
import { insertAlone, type NewAction } from '../../server/store/actions/newActions.js'
import { openDatabase } from './databases.js'

const database = openDatabase(process.env.DATABASE_URL!)
await database.migrate()

/** Without what can't be sent to a process. */
export type Seed = Omit<NewAction, 'requiredConfirmations'>

async function store(entries: Seed[]): Promise<void> {
  for (const entry of entries) await insertAlone(database, { ...entry, requiredConfirmations: () => 1 })
  await database.close()
}

process.on('message', (entries: Seed[]) => {
  void store(entries).then(() => process.send!('stored'))
})
process.once('disconnect', () => process.exit(0))
process.send!('ready')
