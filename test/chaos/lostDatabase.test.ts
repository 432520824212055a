import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { pino } from 'pino'
import { startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import type { Database } from '../../server/store/connection/database.js'
import { until } from '../support/until.js'
import { noFaults } from './chaosProxy.js'
import { createClient, inParallel } from './client.js'
import { requireOracles, withTimelines } from './oracles.js'
import { makePlans, type Plan } from './workload.js'
import { seed, startWorld, type World } from './world.js'

describe(`a service that has lost its database (seed ${seed})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lost-'))
  let world: World

  before(async () => {
    world = await startWorld({ faults: noFaults })
  })
  after(async () => {
    await world.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('pays nothing again for what the chain has seen it pay, and says that it is done', async function () {
    this.timeout(180_000)
    const plans = await makePlans(world, 9, 'lost')
    for (const life of ['first', 'second']) {
      for (const proxy of world.proxies) proxy.seen.length = 0
      await live(`sqlite:${join(folder, `${life}.sqlite`)}`, plans)
    }
  })

  /** Asks a service on that database for everything, and judges it by what it did and by what the chains hold. */
  async function live(databaseUrl: string, plans: Plan[]): Promise<void> {
    const loaded = loadConfig({ ...world.env, DATABASE_URL: databaseUrl })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    const service = await startService(loaded.config, pino({ level: loaded.config.logLevel }))
    try {
      const client = createClient(() => [service.url!])
      const run = { world, database: service.database, plans, saw: client.saw }
      await withTimelines(run, async () => {
        await inParallel(plans, 9, client.carryOut)
        await until(() => isAtRest(service.database), 'the journal to come to rest')
      })
      await requireOracles(run)
    } finally {
      await service.stop()
    }
  }
})

async function isAtRest(database: Database): Promise<boolean> {
  return !(await database.knex('transactions').where({ status: 'open' }).first('id'))
}
