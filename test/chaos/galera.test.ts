import { expect } from 'chai'
import { createConnection } from 'mysql2/promise'
import { type Galera, startGalera } from '../../scripts/galera.js'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { randomOf } from '../support/random.js'
import { until } from '../support/until.js'
import { allFaults, noFaults } from './chaosProxy.js'
import { createClient, inParallel } from './client.js'
import { type Fleet, startDisturber, startFleet } from './disturber.js'
import { requireOracles, withTimelines } from './oracles.js'
import { makePlans } from './workload.js'
import { seed, startWorld, type World } from './world.js'

/** CHAOS_STEPS makes it longer, CHAOS_SEED another one. */
const steps = Number(process.env.CHAOS_STEPS ?? 60)
/** 60 in a run of 1,000 steps, fewer in a shorter one. */
const disturbances = Math.max(6, Math.ceil((steps * 60) / 1000))
const random = randomOf(seed, 'galera')

describe(`three replicas on a Galera cluster, each on a node of its own (seed ${seed})`, () => {
  const victim = random.below(3)
  let galera: Galera
  let world: World
  let database: Database
  let fleet: Fleet

  before(async function () {
    this.timeout(240_000)
    galera = await startGalera()
    const connection = await createConnection(galera.urls[0]!)
    await connection.query('CREATE DATABASE intents')
    await connection.end()
    const urls = galera.urls.map((url) => `${url}intents`)
    // What the test itself reads comes from a node that stays.
    database = createDatabase({ kind: 'mysql', url: urls[(victim + 1) % urls.length]!, poolSize: 4 })
    await database.migrate()
    world = await startWorld({
      faults: noFaults,
      keys: 1,
      databaseUrl: urls[0]!,
      onSend: async (hash) => (await database.knex('attempts').where({ hash }).first('hash')) !== undefined,
    })
    fleet = await startFleet(urls.map((url) => ({ ...world.env, DATABASE_URL: url })))
  })
  after(async function () {
    this.timeout(60_000)
    await fleet?.stop()
    await database?.close()
    await world?.stop()
    await galera?.stop()
  })

  it(`lose no step and pay none twice while they and a database node are killed (${steps} steps)`, async function () {
    this.timeout(300_000 + steps * 5_000)
    const plans = await makePlans(world, steps)
    for (const proxy of world.proxies) proxy.setFaults(allFaults)
    const client = createClient(fleet.urls, { stepMs: 400_000 })
    const run = { world, database, plans, saw: client.saw }
    const disturber = startDisturber(fleet, random, 2_000)
    let done = 0
    const carryOut = async (plan: (typeof plans)[number]) => {
      await client.carryOut(plan)
      done++
    }
    await withTimelines(run, async () => {
      const carriedOut = inParallel(plans, 12, carryOut).finally(() => disturber.stop())
      await Promise.all([carriedOut, killDatabaseNode(() => done)])
      const open = () => database.knex('transactions').where({ status: 'open' }).first('id')
      await until(async () => !(await open()), 'the journal to come to rest', 90_000)
    })
    expect(disturber.count()).to.be.at.least(disturbances)
    await requireOracles(run)
  })

  /** Between a quarter and half of the steps. */
  async function killDatabaseNode(done: () => number): Promise<void> {
    const withinMs = 300_000 + steps * 2_000
    await until(() => done() >= steps / 4, 'a quarter of the steps', withinMs)
    await galera.kill(victim)
    await until(() => done() >= steps / 2, 'half of the steps', withinMs)
    await galera.restart(victim)
  }
})
