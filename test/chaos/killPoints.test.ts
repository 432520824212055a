import { expect } from 'chai'
import { pino } from 'pino'
import { startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { createApi } from '../support/api.js'
import { until } from '../support/until.js'
import { chosenDatabases, type DatabaseKind } from './chosenDatabases.js'
import { type KillableService, startKillableService } from './killableService.js'
import { describeRun, findFaults } from './killOracle.js'
import { samplePoints } from './samplePoints.js'
import { carryOut, newProgress, type Progress, type Scenario, scenarios } from './killScenarios.js'
import { freshGround, type KillGround, letLeasesEnd, useKillWorld } from './killWorld.js'

/**
 * The service is killed before and after every commit, write and send of an action, once per point, and started
 * again. CHAOS_POINTS=all takes every point (about 50 in mode 7702 and 26 on demand, on each database), a number
 * takes that many of them, evenly spread; the default is 16. A run takes about 5 s: the default sample about 7
 * minutes for all four, `all` about 15.
 */

/** What follows the end of an action is done well within this. */
const quietMs = 1_000
/** A point that only some orders of events pass is tried this often. */
const triesPerPoint = 3

describe('a service that is killed at any point', () => {
  const world = useKillWorld()

  for (const kind of chosenDatabases) {
    for (const mode of ['7702', 'on-demand'] as const) {
      it(`loses nothing and pays nothing twice: mode ${mode} on ${kind}`, async function () {
        this.timeout(0)
        const dryRuns = [await dryRun(mode, kind), await dryRun(mode, kind)]
        const failures: string[] = []
        const missed: string[] = []
        for (const points of dryRuns) {
          const sends = points.map((point) => /^(before|after) send /.exec(point)?.[1])
          expect(sends, 'points before and after sends').to.include.members(['before', 'after'])
        }
        const points = samplePoints(dryRuns, process.env.CHAOS_POINTS)
        for (const { point, number, always } of points.chosen) {
          const outcome = await killAt(mode, kind, point)
          const label = `${mode}, ${kind}, point ${number} of ${points.total}: ${point}`
          if (process.env.CHAOS_POINTS === 'all')
            process.stdout.write(`      ${outcome.faults[0] ?? 'fine'}: ${label}\n`)
          if (outcome.faults.length > 0) failures.push([label, ...outcome.faults, outcome.story].join('\n'))
          if (!outcome.killed) (always ? failures : missed).push(`${label} was never passed`)
        }
        process.stdout.write(
          `      killed at ${points.chosen.length - missed.length} of ${points.total} points` +
            missed.map((label) => `\n      ${label}`).join('') +
            '\n',
        )
        expect(failures, `\n${failures.join('\n\n')}\n`).to.deep.equal([])
      })
    }
  }

  type Mode = keyof typeof scenarios

  /** The points that an undisturbed action passes. */
  async function dryRun(mode: Mode, kind: DatabaseKind): Promise<string[]> {
    const ground = await freshGround(world(), kind)
    const scenario = await scenarios[mode](world())
    const service = await startKillableService({ env: ground.env, folder: world().folder, point: null })
    try {
      await carryOut(service.api, scenario, newProgress())
      return await settledPoints(service)
    } finally {
      await service.kill()
      await ground.drop()
    }
  }

  /** Tried again while the point is not passed; every try is checked, whether the service was killed or not. */
  async function killAt(mode: Mode, kind: DatabaseKind, point: string) {
    for (let attempt = 1; ; attempt++) {
      const outcome = await killOnce(mode, kind, point)
      if (outcome.killed || outcome.faults.length > 0 || attempt === triesPerPoint) return outcome
    }
  }

  async function killOnce(mode: Mode, kind: DatabaseKind, point: string) {
    const ground = await freshGround(world(), kind)
    const scenario = await scenarios[mode](world())
    const progress = newProgress()
    const service = await startKillableService({ env: ground.env, folder: world().folder, point })
    try {
      const killed = await untilKilled(service, scenario, progress)
      await service.kill()
      if (killed) expect(service.points().at(-1)).to.equal(point)
      return { killed, ...(await finish(ground, scenario, progress)) }
    } finally {
      await service.kill()
      await ground.drop()
    }
  }

  /** Started again as it is, with the same client; then everything is compared with what has to be. */
  async function finish(ground: KillGround, scenario: Scenario, progress: Progress) {
    const loaded = loadConfig({ ...ground.env, PORT: '0', LOG_LEVEL: 'silent' })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    await letLeasesEnd(ground.env.DATABASE_URL!)
    const service = await startService(loaded.config, pino({ level: 'silent' }))
    try {
      const stuck = await carryOut(createApi(service.url!), scenario, progress).then(
        () => [],
        (error: unknown) => [String(error)],
      )
      const found = await findFaults(world(), ground, service.database, scenario, progress.actionId ?? '')
      const faults = [...stuck, ...found]
      const story = faults.length > 0 ? await describeRun(service.database, progress.actionId) : ''
      return { faults, story }
    } finally {
      await service.stop()
    }
  }
})

/** False: the action came to its end without the point. */
async function untilKilled(service: KillableService, scenario: Scenario, progress: Progress): Promise<boolean> {
  try {
    await carryOut(service.api, scenario, progress)
    await settledPoints(service)
    return service.killed()
  } catch (error) {
    // The connection breaks a moment before the process is known to be gone.
    await until(() => service.killed(), 'the service to be killed', 5_000).catch(() => {
      throw error
    })
    return true
  }
}

/** What the engine does after the last change of the action is passed too. */
async function settledPoints(service: KillableService): Promise<string[]> {
  let points = service.points()
  let changedAt = Date.now()
  await until(() => {
    const now = service.points()
    if (now.length !== points.length) [points, changedAt] = [now, Date.now()]
    return service.killed() || Date.now() - changedAt > quietMs
  }, 'the engine to come to rest')
  return points
}
