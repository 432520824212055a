/** The real service in a process of its own, configured by its environment. */
import { chooseRecovery } from '../../../server/chain/recoverAddress.js'
import { startService } from '../../../server/compose.js'
import { loadConfig } from '../../../server/config.js'
import { createLogger } from '../../../server/logging.js'
import { releaseMemory } from '../../../server/releaseMemory.js'
import type { Settled } from '../environment.js'

const loaded = loadConfig(process.env)
if (!loaded.ok) throw new Error(loaded.problems.join('; '))
const { config } = loaded
const withoutBinary = () => {
  throw new Error('left out by the benchmark')
}
const recovery = chooseRecovery(process.env.BENCH_RECOVERY === 'viem' ? withoutBinary : undefined)
const service = await startService(config, createLogger(config), recovery)
await releaseMemory()

/** Any message asks which steps have come to an end. */
process.on('message', () => {
  const { knex } = service.database
  void knex('steps')
    .whereIn('status', ['success', 'error', 'reverted'])
    .groupBy('status')
    .select('status', knex.raw('count(*) as steps'), knex.raw('max(updated_at) as last_at'))
    .then((rows: { status: string; steps: number; last_at: number }[]) =>
      process.send!({
        steps: Object.fromEntries(rows.map((row) => [row.status, Number(row.steps)])),
        lastAt: Math.max(...rows.map((row) => Number(row.last_at))),
      } satisfies Settled),
    )
})
process.once('disconnect', () => void service.stop().then(() => process.exit(0)))
process.send!({ url: service.url })
