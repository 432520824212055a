import { expect } from 'chai'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { createRateLimits } from '../../server/store/rateLimits.js'
import { freshDatabase } from '../support/database.js'
import { until } from '../support/until.js'

describe('points of a subject', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>
  beforeEach(async () => (fresh = await freshDatabase()))
  afterEach(() => fresh.drop())

  it('are taken in the order of the requests, by each as if it came alone', async () => {
    const { take } = await createRateLimits(fresh.database, 12)
    const costs = [1, 3, 5, 3, 1, 1]
    const answers = await Promise.all(costs.map((cost) => take('someone', cost)))
    expect(answers.map(({ allowed, remaining }) => [allowed, remaining])).to.deep.equal([
      [true, 11],
      [true, 8],
      [true, 3],
      [true, 0],
      [false, 0],
      [false, 0],
    ])
    for (const answer of answers) {
      expect(answer).to.include({ limit: 12, windowSeconds: 60 })
      expect(answer.resetSeconds).to.be.within(59, 60)
    }
    expect(await take('someone else', 5)).to.include({ allowed: true, remaining: 7 })
  })

  it('that are fewer than a request costs are all taken by it', async () => {
    const { take } = await createRateLimits(fresh.database, 3)
    expect(await take('someone', 5)).to.include({ allowed: true, limit: 3, remaining: 0 })
    expect(await take('someone', 1)).to.include({ allowed: false, remaining: 0 })
  })

  it('come back when the window ends, and no later', async () => {
    const { take } = await createRateLimits(fresh.database, 5, 1)
    const startedAt = performance.now()
    expect(await take('someone', 5)).to.include({ allowed: true, remaining: 0 })
    const refused = await take('someone', 1)
    expect(refused).to.include({ allowed: false, remaining: 0, resetSeconds: 1 })
    const again = await until(async () => {
      const answer = await take('someone', 1)
      return answer.allowed && answer
    }, 'the next window')
    expect(again.remaining).to.equal(4)
    expect(performance.now() - startedAt).to.be.within(990, 5_000)
  })

  // SQLite has one process, and its requests are counted in memory.
  if (process.env.TEST_DATABASE !== 'mysql') return

  it('that are used up occupy no connection until the window ends, in none of the processes', async () => {
    const other = createDatabase(fresh.config)
    try {
      for (const [index, database] of [fresh.database, other].entries()) {
        const limits = await createRateLimits(database, 5)
        const used = countConnections(database)
        // The second process hears of it by the database, once.
        expect(await limits.take('someone', 5)).to.include({ allowed: index === 0, remaining: 0 })
        expect(used.all()).to.equal(1)
        const refused = await Promise.all(Array.from({ length: 50 }, () => limits.take('someone', 1)))
        for (const answer of refused) {
          expect(answer).to.include({ allowed: false, remaining: 0 })
          expect(answer.resetSeconds).to.be.within(55, 60)
        }
        expect(used.all()).to.equal(1)
      }
    } finally {
      await other.close()
    }
  })

  it('are counted over one connection at a time, however many requests of one subject come at once', async () => {
    const { take } = await createRateLimits(fresh.database, 1_000)
    const used = countConnections(fresh.database)
    const answers = await Promise.all(Array.from({ length: 300 }, () => take('someone', 1)))
    expect(answers.map(({ remaining }) => remaining)).to.deep.equal(answers.map((_answer, index) => 999 - index))
    expect(used.atOnce()).to.equal(1)
    expect(used.all()).to.be.at.most(3)
    await Promise.all(['a', 'b', 'c', 'd'].map((subject) => take(subject, 1)))
    expect(used.atOnce(), 'of several subjects').to.be.greaterThan(1)
  })

  /** How many connections a database is asked for from now on, and how many of them side by side. */
  function countConnections({ knex }: Database) {
    const client = knex.client as Record<
      'acquireConnection' | 'releaseConnection',
      (given?: unknown) => Promise<unknown>
    >
    const { acquireConnection, releaseConnection } = client
    let [all, open, atOnce] = [0, 0, 0]
    client.acquireConnection = () => {
      all += 1
      open += 1
      atOnce = Math.max(atOnce, open)
      return acquireConnection()
    }
    client.releaseConnection = (connection) => {
      open -= 1
      return releaseConnection(connection)
    }
    return { all: () => all, atOnce: () => atOnce }
  }
})
