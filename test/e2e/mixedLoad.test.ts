import { fork } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { expect } from 'chai'
import { inParallel } from '../chaos/client.js'
import { type Sample, sampleMetrics } from '../chaos/resources.js'
import { createApi } from '../support/api.js'
import { builtFile } from '../support/builtProgram.js'
import { closeIdleConnections } from '../support/closeIdleConnections.js'
import { keepDoing } from '../support/pause.js'
import { createRandom, type Random } from '../support/random.js'
import { until } from '../support/until.js'
import { badRequests } from './load/badRequests.js'
import { createGoodClient } from './load/goodClient.js'
import type { Seen } from './load/healthProbe.js'
import { judgeRefusal } from './load/judgeRefusal.js'
import { judgeLedger, judgePayouts, readPages } from './load/judge.js'
import { load, useLoadWorld, userOf } from './load/loadWorld.js'
import { preparePlans } from './load/prepare.js'
import { rudeClients } from './load/rudeClients.js'
import type { Plan } from './load/scene.js'

/** For each action, of each kind of client that is not one. */
const perAction = { bad: 2, rude: 0.5, reading: 0.5 }
/**
 * What a machine of two cores keeps that the load, the chains and other tests use too. The slowest look is that into
 * the process's first second, whose code is cold while every client comes at once.
 */
const bounds = { medianHealthMs: 1_000, slowestHealthMs: 20_000, residentBytes: 350 * 2 ** 20 }

/** At how many sockets more the service listens once sixteen clients have come, as here in any case (`api/doors`). */
const doors = 15

describe(`a mixed load (LOAD_SEED=${load.seed} LOAD_ACTIONS=${load.actions} LOAD_USERS=${load.users})`, () => {
  const world = useLoadWorld()

  it('leaves every step where it has to end, every recipient with his money, and everybody with an answer', async function () {
    this.timeout(180_000 + load.actions * 2_000)
    // While hardly anybody has come.
    const before = await sampleMetrics(world.metricsUrl)
    const plans = await preparePlans(world)
    const api = createApi(world.url)
    const good = createGoodClient(world.url)
    const bad = await badRequests(world, api)
    const probe = await startProbe(world.url)
    const samples: Sample[] = []
    const sampler = keepDoing(
      async () => samples.push(await sampleMetrics(world.metricsUrl)),
      () => 500,
    )
    const random = createRandom(load.seed)
    const many = <T>(share: number, job: (index: number) => T) =>
      Array.from({ length: Math.ceil(load.actions * share) }, (_, index) => job(index))
    const jobs = shuffled(random, [
      ...plans.map((plan) => () => good.carryOut(plan)),
      ...many(perAction.bad, (index) => async () => {
        const request = bad[index % bad.length]!
        judgeRefusal(request, await request.send(api, random))
      }),
      ...many(
        perAction.rude,
        (index) => () => rudeClients[index % rudeClients.length]!.act(world.url, random, good.identifiers),
      ),
      ...many(perAction.reading, (index) => async () => {
        const queries = [`user=${userOf('busy').address}`, 'status=success', `user=${userOf('user-0').address}`]
        await readPages(api, queries[index % queries.length]!, 20, 5)
      }),
    ])
    const failures: string[] = []
    const startedAt = performance.now()
    try {
      // All that goes wrong is told, not only the first.
      await inParallel(jobs, load.connections, (job) =>
        job().catch((error: unknown) => void failures.push(String(error))),
      )
    } catch (error) {
      probe.kill()
      throw error
    } finally {
      await sampler.stop()
    }
    expect(failures.slice(0, 20), `${failures.length} of ${jobs.length}`).to.deep.equal([])
    const seconds = (performance.now() - startedAt) / 1_000
    const seen = await probe.stop()

    await closeIdleConnections()
    await untilNothingIsOpen(before)
    judgeHealth(seen)
    judgeMemory(samples)
    const busy = plans.filter(({ action }) => action.user === userOf('busy').address)
    expect(await readPages(api, `user=${userOf('busy').address}`, 7)).to.have.length(busy.length)

    const { code, database } = await world.close()
    expect(code, world.output()).to.equal(0)
    await judgePayouts(world, plans)
    await judgeLedger(world, database, plans)
    report({ plans, jobs: jobs.length, seconds, seen, samples, ended: good.ended, slow: good.took })
  })

  /** Those who hung up are forgotten: no connection and no event stream of theirs is kept. */
  async function untilNothingIsOpen(before: Sample): Promise<void> {
    const open = async () => (await sampleMetrics(world.metricsUrl)).sockets
    await until(async () => (await open()) <= before.sockets + doors + 10, 'the connections to end', 60_000, 500)
  }
})

function judgeHealth(seen: readonly Seen[]): void {
  expect(seen.length, 'enough looks to tell').to.be.at.least(10)
  expect(seen.filter(({ status }) => status !== 200)).to.deep.equal([])
  const times = seen.map(({ ms }) => ms).sort((a, b) => a - b)
  expect(times[Math.floor(times.length / 2)], 'the median of GET /health').to.be.lessThan(bounds.medianHealthMs)
  expect(times.at(-1), 'the slowest GET /health').to.be.lessThan(bounds.slowestHealthMs)
}

function judgeMemory(samples: readonly Sample[]): void {
  expect(Math.max(...samples.map(({ rssBytes }) => rssBytes)), 'memory').to.be.lessThan(bounds.residentBytes)
}

async function startProbe(url: string) {
  const program = await builtFile('test/e2e/load/healthProbe.ts')
  const child = fork(program, { execArgv: [], env: { ...process.env, URL: url } })
  return {
    stop: () =>
      new Promise<Seen[]>((resolve, reject) => {
        child.once('message', (seen) => resolve(seen as Seen[]))
        child.once('exit', (code) => reject(new Error(`The probe ended with ${code}`)))
        child.send('stop')
      }),
    kill: () => child.kill(),
  }
}

function shuffled<T>(random: Random, items: T[]): T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    ;[items[last], items[other]] = [items[other]!, items[last]!]
  }
  return items
}

type Told = {
  plans: readonly Plan[]
  jobs: number
  seconds: number
  seen: readonly Seen[]
  samples: readonly Sample[]
  ended: ReadonlyMap<string, number>
  slow: ReadonlyMap<string, number>
}

/** What was seen, for who runs it by hand: a line more in the file that LOAD_REPORT names. */
function report({ plans, jobs, seconds, seen, samples, ended, slow }: Told): void {
  const file = process.env.LOAD_REPORT
  if (!file) return
  const steps = [...ended.values()].reduce((sum, count) => sum + count, 0)
  const times = seen.map(({ ms }) => Math.round(ms)).sort((a, b) => a - b)
  const told = {
    ...load,
    ...{ plans: plans.length, jobs, steps, seconds: Math.round(seconds), stepsPerSecond: Math.round(steps / seconds) },
    ended: Object.fromEntries(ended),
    longestMs: Object.fromEntries(slow),
    healthMs: { looks: times.length, median: times[times.length >> 1], slowest: times.at(-1) },
    mostMegabytes: Math.round(Math.max(...samples.map(({ rssBytes }) => rssBytes)) / 2 ** 20),
  }
  appendFileSync(file, `${JSON.stringify(told)}\n`)
}
