import { expect } from 'chai'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import type { DatabaseConfig } from '../../server/store/connection/openDatabase.js'
import { createApi } from '../support/api.js'
import { keepDoing } from '../support/pause.js'
import { until } from '../support/until.js'
import { allFaults, noFaults } from './chaosProxy.js'
import { createClient, inParallel } from './client.js'
import { requireOracles, withTimelines } from './oracles.js'
import { type ServiceProcess, startProcess } from './processes.js'
import { findGrowth, type Sample, sampleMetrics } from './resources.js'
import { makePlans, type Plan } from './workload.js'
import { seed, startWorld, type World } from './world.js'
import { freePort } from '../support/freePort.js'

/** CHAOS_MINUTES makes it longer. */
const minutes = Number(process.env.CHAOS_MINUTES ?? 1)
const plansPerRound = 24
const sampleMs = 500

describe(`a service at full load for ${minutes} minutes, with bad nodes (seed ${seed})`, () => {
  let world: World
  let service: ServiceProcess
  let metricsUrl: string

  before(async function () {
    this.timeout(120_000)
    world = await startWorld({ faults: noFaults })
    const port = await freePort()
    metricsUrl = `http://127.0.0.1:${port}/metrics`
    service = await startProcess({ ...world.env, METRICS_PORT: String(port) })
  })
  after(async function () {
    this.timeout(60_000)
    service.child.kill('SIGKILL')
    await service.ended
    await world.stop()
  })

  it('does not grow: memory, timers, sockets, files and open transactions', async function () {
    this.timeout(minutes * 60_000 + 600_000)
    const plans: Plan[] = []
    const client = createClient(() => [service.url])
    const samples: Sample[] = []
    const takeSample = async () => samples.push(await sampleMetrics(metricsUrl))
    const sampler = keepDoing(takeSample, () => sampleMs)
    const end = Date.now() + minutes * 60_000
    let prepared = makePlans(world, plansPerRound, 'soak-0')
    for (const proxy of world.proxies) proxy.setFaults(allFaults)
    for (let round = 1; Date.now() < end; round++) {
      const current = await prepared
      plans.push(...current)
      // Made while the others are carried out, so that the load has no gap.
      prepared = makePlans(world, plansPerRound, `soak-${round}`)
      await inParallel(current, 16, client.carryOut)
    }
    await prepared
    await sampler.stop()
    const growth = findGrowth(samples)

    const api = createApi(service.url)
    const waiting = async () => (await api.get('/actions?status=executing&limit=100')).body.actions.length as number
    await until(async () => (await waiting()) === 0, 'no action to be under way', 60_000)
    service.child.kill('SIGTERM')
    await service.ended
    const database = await openDatabase(world.env.DATABASE_URL)
    try {
      await withTimelines({ world, database, plans }, async () => {
        expect(samples.length, 'enough samples to tell').to.be.at.least(12)
        expect(growth, JSON.stringify(samples.filter((_, index) => index % 10 === 0))).to.deep.equal([])
        await requireOracles({ world, database, plans, saw: client.saw })
        expect(await openSqlTransactions(database), 'open database transactions').to.equal(0)
      })
    } finally {
      await database.close()
    }
  })
})

async function openDatabase(url: string): Promise<Database> {
  const config: DatabaseConfig = url.startsWith('sqlite:')
    ? { kind: 'sqlite', file: url.slice('sqlite:'.length) }
    : { kind: 'mysql', url }
  const database = createDatabase(config)
  await database.migrate()
  return database
}

/** Those that a service which has ended has left open in the database; a file that could be opened has none. */
async function openSqlTransactions(database: Database): Promise<number> {
  if (database.kind === 'sqlite') return 0
  const [rows] = (await database.knex.raw(
    'SELECT COUNT(*) AS open FROM information_schema.innodb_trx t ' +
      'JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id WHERE p.db = DATABASE()',
  )) as [{ open: number }[]]
  return Number(rows[0]!.open)
}
