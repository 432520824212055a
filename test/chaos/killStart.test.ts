import { expect } from 'chai'
import { pino } from 'pino'
import { startService } from '../../server/compose.js'
import { loadConfig } from '../../server/config/config.js'
import { createApi } from '../support/api.js'
import { until } from '../support/until.js'
import { chosenDatabases, type DatabaseKind } from './chosenDatabases.js'
import { startKilledAtStart } from './killableService.js'
import { describeRun, findFaults } from './killOracle.js'
import { carryOut, newProgress, scenarios } from './killScenarios.js'
import { freshGround, useKillWorld } from './killWorld.js'
import { samplePoints } from './samplePoints.js'

/**
 * The first start on an empty database (its tables, the chains' identities, the lanes) is killed at every point in
 * turn. The next start has to come up and carry out an action. CHAOS_POINTS chooses as in killPoints.test.ts.
 */

/** Lanes are opened while the service is up already. */
const afterStartMs = 2_000

describe('a service that is killed while it starts for the first time', () => {
  const world = useKillWorld()

  for (const kind of chosenDatabases) {
    it(`starts again and works: ${kind}`, async function () {
      this.timeout(0)
      const dryRun = await startOnce(kind, null)
      const { chosen, total } = samplePoints([dryRun.points], process.env.CHAOS_POINTS)
      const failures: string[] = []
      for (const { point, number } of chosen) {
        const { killed, faults } = await startOnce(kind, point)
        const label = `${kind}, point ${number} of ${total}: ${point}`
        if (process.env.CHAOS_POINTS === 'all') process.stdout.write(`      ${faults[0] ?? 'fine'}: ${label}\n`)
        if (!killed) failures.push(`${label} was never passed`)
        if (faults.length > 0) failures.push([label, ...faults].join('\n'))
      }
      expect(failures, `\n${failures.join('\n\n')}\n`).to.deep.equal([])
    })
  }

  /** Starts on an empty database, is killed, starts again and carries out an action. */
  async function startOnce(kind: DatabaseKind, point: string | null) {
    const ground = await freshGround(world(), kind)
    try {
      const victim = await startKilledAtStart({ env: ground.env, folder: world().folder, point })
      await untilKilledOrIdle(victim)
      const killed = victim.killed()
      await victim.kill()
      return { killed, points: victim.points(), faults: await tryToWork(ground) }
    } finally {
      await ground.drop()
    }
  }

  async function tryToWork(ground: Awaited<ReturnType<typeof freshGround>>): Promise<string[]> {
    const loaded = loadConfig({ ...ground.env, PORT: '0', LOG_LEVEL: 'silent' })
    if (!loaded.ok) throw new Error(loaded.problems.join('; '))
    const service = await startService(loaded.config, pino({ level: 'silent' })).catch((error: unknown) =>
      String(error),
    )
    if (typeof service === 'string') return [`it does not start any more: ${service}`]
    try {
      const scenario = await scenarios['on-demand'](world())
      const progress = newProgress()
      await carryOut(createApi(service.url!), scenario, progress)
      const faults = await findFaults(world(), ground, service.database, scenario, progress.actionId!)
      return faults.length > 0 ? [...faults, await describeRun(service.database, progress.actionId)] : []
    } catch (error) {
      return [String(error), await describeRun(service.database, null)]
    } finally {
      await service.stop()
    }
  }
})

async function untilKilledOrIdle(victim: { killed(): boolean; points(): string[] }): Promise<void> {
  let count = victim.points().length
  let changedAt = Date.now()
  await until(
    () => {
      const now = victim.points().length
      if (now !== count) [count, changedAt] = [now, Date.now()]
      return victim.killed() || Date.now() - changedAt > afterStartMs
    },
    'the start to end',
    60_000,
  )
}
