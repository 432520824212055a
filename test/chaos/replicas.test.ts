import { expect } from 'chai'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { createApi } from '../support/api.js'
import { randomOf } from '../support/random.js'
import { until } from '../support/until.js'
import { startMariadb, type Mariadb } from '../../scripts/mariadb.js'
import { allFaults, noFaults } from './chaosProxy.js'
import { createClient, inParallel } from './client.js'
import { type Fleet, startDisturber, startFleet } from './disturber.js'
import { mostStepsTogether, requireOracles, withTimelines } from './oracles.js'
import { makePlans, type Plan } from './workload.js'
import { seed, startWorld, type World } from './world.js'

/** CHAOS_STEPS makes it longer, CHAOS_SEED another one. */
const steps = Number(process.env.CHAOS_STEPS ?? 150)
/** 60 in a run of 1,000 steps, fewer in a shorter one. */
const disturbances = Math.max(6, Math.ceil((steps * 60) / 1000))
const replicas = 3

describe(`three replicas on one database and one lane (seed ${seed})`, () => {
  let server: Mariadb | null = null
  let world: World
  let database: Database
  let fleet: Fleet
  /** Of all tests, since the books are one. */
  const allPlans: Plan[] = []

  before(async function () {
    this.timeout(180_000)
    if (!process.env.TEST_MYSQL_URL) {
      server = await startMariadb()
      process.env.TEST_MYSQL_URL = server.url
    }
    world = await startWorld({
      faults: noFaults,
      keys: 1,
      mysql: true,
      onSend: async (hash) => (await database.knex('attempts').where({ hash }).first('hash')) !== undefined,
    })
    database = createDatabase({ kind: 'mysql', url: world.env.DATABASE_URL, poolSize: 4 })
    await database.migrate()
    fleet = await startFleet(Array.from({ length: replicas }, () => world.env))
  })
  after(async function () {
    this.timeout(60_000)
    await fleet.stop()
    await database.close()
    await world.stop()
    await server?.stop()
    if (server) delete process.env.TEST_MYSQL_URL
  })

  it('carry out one step once, however many ask all of them for it at the same time', async function () {
    this.timeout(120_000)
    const plans = await makePlans(world, 3, 'asked')
    allPlans.push(...plans)
    const run = { world, database, plans: allPlans }
    const client = createClient(fleet.urls)
    await withTimelines(run, () => inParallel(plans, 3, client.accept))
    for (const plan of plans) {
      const path = `/actions/${plan.ref!.actionId}/intents/0/steps/${plan.stepIndex}`
      if (plan.payment)
        await withTimelines(run, () => client.execute(plan, 0, { action: 'register', hash: plan.payment }))
      const urls = fleet.urls()
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          createApi(urls[index % urls.length]!).request('POST', path, undefined, { prefer: 'wait=30' }),
        ),
      )
      const told = new Set(
        replies.map(({ status, body }) => JSON.stringify([status, body.status, body.transactionHash])),
      )
      expect([...told], plan.name).to.have.length(1)
      expect(replies[0]!.body.status).to.equal('success')
    }
    await withTimelines(run, atRest)
    await requireOracles(run)
  })

  it(`lose no step and pay none twice while they are killed and frozen (${steps} steps)`, async function () {
    this.timeout(300_000 + steps * 5_000)
    const plans = await makePlans(world, steps)
    for (const proxy of world.proxies) proxy.setFaults(allFaults)
    const client = createClient(fleet.urls)
    allPlans.push(...plans)
    const run = { world, database, plans: allPlans, saw: client.saw }
    const disturber = startDisturber(fleet, randomOf(seed, 'disturber'), 1_200)
    await withTimelines(run, async () => {
      await inParallel(plans, 24, client.carryOut).finally(() => disturber.stop())
      await atRest()
    })
    expect(disturber.count()).to.be.at.least(disturbances)
    if (process.env.BUNDLE_MAX_STEPS !== '1') expect(await mostStepsTogether(database)).to.be.greaterThan(1)
    await requireOracles(run)
  })

  async function atRest(): Promise<void> {
    const open = () => database.knex('transactions').where({ status: 'open' }).first('id')
    await until(async () => !(await open()), 'the journal to come to rest', 90_000)
  }
})
