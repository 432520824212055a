/** The real service in a process of its own, configured by its environment. */
import { dirname } from 'node:path'
import { boundGarbage } from '../../../server/process/boundGarbage.js'
import { chooseRecovery } from '../../../server/chain/keys/recoverAddress.js'
import { startService } from '../../../server/compose.js'
import { type Config, loadConfig } from '../../../server/config/config.js'
import { createLogger } from '../../../server/process/logging.js'
import { releaseMemory } from '../../../server/process/releaseMemory.js'
import { closeFilesIn } from '../../../test/support/closedFile.js'
import type { Order, Settled } from '../environment.js'

boundGarbage()
const loaded = loadConfig(process.env)
if (!loaded.ok) throw new Error(loaded.problems.join('; '))
const { config } = loaded
const withoutBinary = () => {
  throw new Error('left out by the benchmark')
}
const recovery = chooseRecovery(process.env.BENCH_RECOVERY === 'viem' ? withoutBinary : undefined)
const start = (role: Config['role']) => startService({ ...config, role }, createLogger(config), { recovery })
let service = await start(config.role)
await releaseMemory()

const orders: Record<Order, () => Promise<unknown>> = {
  settled,
  async pause() {
    await service.stop()
    if (config.database.kind === 'sqlite') await closeFilesIn(dirname(config.database.file))
    return null
  },
  async resume() {
    service = await start('engine')
    return Date.now()
  },
}

process.on('message', (order: Order) => void orders[order]().then((answer) => process.send!(answer)))
process.once('disconnect', () => void service.stop().then(() => process.exit(0)))
process.send!({ url: service.url })

async function settled(): Promise<Settled> {
  const { knex } = service.database
  const rows: { status: string; steps: number; last_at: number }[] = await knex('steps')
    .whereIn('status', ['success', 'error', 'reverted'])
    .groupBy('status')
    .select('status', knex.raw('count(*) as steps'), knex.raw('max(updated_at) as last_at'))
  return {
    steps: Object.fromEntries(rows.map((row) => [row.status, Number(row.steps)])),
    lastAt: Math.max(...rows.map((row) => Number(row.last_at))),
  }
}
