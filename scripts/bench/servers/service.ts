/** The real service in a process of its own, configured by its environment. */
import { chooseRecovery } from '../../../server/chain/recoverAddress.js'
import { startService } from '../../../server/compose.js'
import { loadConfig } from '../../../server/config.js'
import { createLogger } from '../../../server/logging.js'

const loaded = loadConfig(process.env)
if (!loaded.ok) throw new Error(loaded.problems.join('; '))
const { config } = loaded
const withoutBinary = () => {
  throw new Error('left out by the benchmark')
}
const recovery = chooseRecovery(process.env.BENCH_RECOVERY === 'viem' ? withoutBinary : undefined)
const service = await startService(config, createLogger(config), recovery)

/** Any message asks how many steps have come to an end, by status. */
process.on('message', () => {
  void service.database
    .knex('steps')
    .whereIn('status', ['success', 'error', 'reverted'])
    .groupBy('status')
    .select<{ status: string; steps: number }[]>('status', service.database.knex.raw('count(*) as steps'))
    .then((rows) => process.send!(Object.fromEntries(rows.map((row) => [row.status, Number(row.steps)]))))
})
process.once('disconnect', () => void service.stop().then(() => process.exit(0)))
process.send!({ url: service.url })
