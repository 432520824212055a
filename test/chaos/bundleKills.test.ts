import { expect } from 'chai'
import { type Hex, parseUnits } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { Database } from '../../server/store/connection/database.js'
import { createApi } from '../support/api.js'
import { type Asked, bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'
import { balanceOf, newUser, reader } from '../support/wallets.js'
import { startKilledAtStart } from './killableService.js'
import { letLeasesEnd } from './killWorld.js'
import { samplePoints } from './samplePoints.js'

const defaultSample = '8'
const users = 3

/**
 * The service is killed before and after every commit, write and send of bundles that it makes and
 * settles, once per point, and started again, now with bundles and now without. CHAOS_POINTS as for the
 * other kill points; the default is 8.
 */
describe('a service that makes bundles and is killed at any point', () => {
  const scene = bundleScene()
  const { a, b, usd } = scene

  it('carries each step out once, whether it makes bundles afterwards or not', async function () {
    this.timeout(0)
    // How often a step that waits for the one before it looks again is a matter of time.
    const dryRuns = [await dryRun(), await dryRun(), await dryRun()]
    const { chosen, total } = samplePoints(dryRuns, process.env.CHAOS_POINTS ?? defaultSample)
    const failures: string[] = []
    for (const [index, { point, number, always }] of chosen.entries()) {
      const maxSteps = index % 2 === 0 ? '20' : '1'
      const label = `point ${number} of ${total}: ${point}, then at most ${maxSteps} together`
      const killed = await killOnce(point, maxSteps).catch((error: unknown) => {
        failures.push(`${label}\n${error instanceof Error ? error.message : String(error)}`)
        return true
      })
      if (!killed && always) failures.push(`${label} was never passed`)
    }
    expect(failures, failures.join('\n\n')).to.deep.equal([])
  })

  /** Each pays ten on one chain and gets ten on the other, of which his friend has three. */
  async function askAll() {
    const wanted = []
    const friend = newUser().address
    for (const user of Array.from({ length: users }, newUser)) {
      wanted.push({ user, intent: await scene.acrossChains(user, friend) })
    }
    return { friend, asked: await scene.ask(wanted) }
  }

  const start = (point: string | null) =>
    startKilledAtStart({ env: { ...scene.env(), BUNDLE_WAIT_MS: '1000' }, folder: scene.folder(), point })

  async function dryRun(): Promise<string[]> {
    const { asked } = await askAll()
    const process = await start(null)
    try {
      const api = createApi(process.url()!)
      await until(() => isDone(api, asked), 'all steps to be done', 30_000)
      // What comes before the first step is the start, which has kill points of its own.
      const points = process.points()
      expect(points.filter((point) => point.startsWith('before send')).length, 'one bundle on each chain').to.equal(2)
      return points.slice(points.findIndex((point) => point.includes('steps')))
    } finally {
      await process.kill()
    }
  }

  async function isDone(api: ReturnType<typeof createApi>, asked: Asked[]): Promise<boolean> {
    const replies = await Promise.all(asked.map(({ actionId }) => api.get(`/actions/${actionId}`)))
    return replies.every(({ body }) => body.status === 'success')
  }

  /** False: it came to its end without the point. */
  async function killOnce(point: string, maxSteps: string): Promise<boolean> {
    const { friend, asked } = await askAll()
    const before = await scene.unexplainedBefore()
    const nonces = await usedNonces()
    const process = await start(point)
    await until(
      async () => process.killed() || (await isDone(createApi(process.url()!), asked).catch(() => false)),
      `the process to be killed at ${point}`,
      30_000,
    )
    const killed = process.killed()
    await process.kill()
    await letLeasesEnd(scene.env().DATABASE_URL!)
    await scene.withService({ BUNDLE_MAX_STEPS: maxSteps }, async (service) => {
      await until(() => isDone(createApi(service.url!), asked), 'all steps to be done', 40_000)
      await until(
        async () => !(await service.database.knex('transactions').where({ status: 'open' }).first('id')),
        'the journal to come to rest',
      )
      expect(await scene.unexplained(service.database)).to.deep.equal(before)
      const signed = await signedBy(service.database)
      expect(signed.steps, 'each is signed for once').to.have.length(2 * users)
      expect(new Set(signed.steps).size).to.equal(2 * users)
      expect(await usedNonces(), 'no nonce more').to.equal(nonces + signed.transactions)
      for (const { user } of asked) {
        expect(await balanceOf(b(), usd(b()), user.address)).to.equal(parseUnits('7', 18))
        expect(await scene.availableOf(service, user.address)).to.equal('0')
      }
    })
    expect(await balanceOf(b(), usd(b()), friend)).to.equal(parseUnits(String(3 * users), 18))
    return killed
  }

  async function signedBy({ knex }: Database): Promise<{ transactions: number; steps: string[] }> {
    const rows = (await knex('transactions').select('signed_for')) as { signed_for: string }[]
    const refs = rows.flatMap((row) => JSON.parse(row.signed_for) as object[])
    return { transactions: rows.length, steps: refs.map((ref) => JSON.stringify(ref)) }
  }

  /** Of all operators on both chains. */
  async function usedNonces(): Promise<number> {
    const operators = scene
      .env()
      .SOLVER_PRIVATE_KEYS!.split(',')
      .map((key) => privateKeyToAddress(key as Hex))
    const counts = await Promise.all(
      [a(), b()].flatMap((chain) => operators.map((address) => reader(chain).getTransactionCount({ address }))),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }
})
