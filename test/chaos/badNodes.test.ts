import { expect } from 'chai'
import { pino } from 'pino'
import { type Service, startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { createApi } from '../support/api.js'
import { until } from '../support/until.js'
import { allFaults, noFaults } from './chaosProxy.js'
import { createClient, inParallel } from './client.js'
import { mostStepsTogether, requireOracles, withTimelines } from './oracles.js'
import { makePlans } from './workload.js'
import { seed, startWorld, type World } from './world.js'

/** CHAOS_STEPS makes it longer, CHAOS_SEED another one. */
const steps = Number(process.env.CHAOS_STEPS ?? 60)

describe(`a service whose nodes are bad (seed ${seed})`, () => {
  let world: World
  let service: Service | null = null

  beforeEach(async () => {
    world = await startWorld({
      faults: noFaults,
      onSend: async (hash) => (await service!.database.knex('attempts').where({ hash }).first('hash')) !== undefined,
    })
  })
  afterEach(async () => {
    await service?.stop()
    service = null
    await world.stop()
  })

  async function start(): Promise<Service> {
    const loaded = loadConfig(world.env)
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    service = await startService(loaded.config, pino({ level: loaded.config.logLevel }))
    return service
  }

  it('carries out every step of both modes once, under every fault of nodes at once', async function () {
    this.timeout(180_000 + steps * 5_000)
    const { url, database } = await start()
    const plans = await makePlans(world, steps)
    for (const proxy of world.proxies) proxy.setFaults(allFaults)
    const client = createClient(() => [url!])
    const run = { world, database, plans, saw: client.saw }
    await withTimelines(run, () => inParallel(plans, 16, client.carryOut))
    await withTimelines(run, () =>
      until(async () => !(await database.knex('transactions').where({ status: 'open' }).first('id')), 'rest', 60_000),
    )
    await requireOracles(run)
    // The run is worth something only if the faults happened, and steps had company.
    if (process.env.BUNDLE_MAX_STEPS !== '1') expect(await mostStepsTogether(database)).to.be.greaterThan(1)
    const made = new Map(world.proxies.flatMap((proxy) => [...proxy.made]))
    expect([...made.keys()]).to.include.members(['dropRequest', 'dropAnswer', 'delay', 'nullBlockReceipts', 'stale'])
    if (steps >= 60) expect([...made.keys()]).to.have.members(Object.keys(allFaults))
  })

  it('carries out every step once when most sends get a false answer and receipts are withheld', async function () {
    this.timeout(240_000)
    const { url, database } = await start()
    const plans = await makePlans(world, 18, 'liars')
    for (const proxy of world.proxies) {
      // No block tells what is in it, so each transaction is looked up by its hash.
      proxy.setFaults({ wrongErrorText: 0.6, nullReceipt: 0.6, nullBlockReceipts: 1, duplicateSend: 0.3 })
    }
    const client = createClient(() => [url!])
    const run = { world, database, plans, saw: client.saw }
    await withTimelines(run, async () => {
      await inParallel(plans, 9, client.carryOut)
      await until(
        async () => !(await database.knex('transactions').where({ status: 'open' }).first('id')),
        'rest',
        60_000,
      )
    })
    await requireOracles(run)
  })

  it('takes on or clearly refuses what is asked while no node answers, and finishes it afterwards', async function () {
    this.timeout(240_000)
    const { url, database } = await start()
    const plans = await makePlans(world, 12, 'outage')
    const client = createClient(() => [url!])
    const api = createApi(url!)
    const run = { world, database, plans, saw: client.saw }
    // Some are under way when the nodes go, some are asked for meanwhile.
    const before = plans.slice(0, 6)
    const meanwhile = plans.slice(6)
    await withTimelines(run, () => inParallel(before, 6, client.accept))
    const underWay = inParallel(before, 6, client.carryOut)
    underWay.catch(() => undefined)
    await until(() => world.proxies.some((proxy) => proxy.seen.length > 0), 'something to be sent')
    for (const proxy of world.proxies) proxy.setOutage(true)

    for (const plan of meanwhile) {
      const created = await api.post('/actions', plan.action)
      expect(created.status, JSON.stringify(created.body)).to.be.oneOf([201, 503])
    }
    const health = await api.get('/health')
    expect(health.body.data.chains.map((chain: { status: string }) => chain.status)).to.deep.equal(['down', 'down'])
    const asked = inParallel(meanwhile, 6, client.carryOut)
    asked.catch(() => undefined)
    const waiting = async () => (await api.get('/actions?status=executing&limit=100')).body.actions.length as number
    await until(async () => (await waiting()) > 0, 'steps to wait for the nodes')
    const failed = await database.knex('steps').whereIn('status', ['error', 'reverted'])
    expect(failed, 'an outage ends no step').to.deep.equal([])

    for (const proxy of world.proxies) proxy.setOutage(false)
    await withTimelines(run, async () => {
      await underWay
      await asked
      await until(
        async () => !(await database.knex('transactions').where({ status: 'open' }).first('id')),
        'the journal to come to rest',
        60_000,
      )
    })
    await requireOracles(run)
  })
})
