import { RateLimiterMemory, RateLimiterMySQL, RateLimiterRes } from 'rate-limiter-flexible'
import { grouped } from '../concurrency/grouped.js'
import type { RateShare } from '../domain/rateLimit.js'
import type { Database } from './connection/database.js'

/** How many points a subject has taken in its window, and when the window ends. */
type Taken = { points: number; msBeforeNext: number }

/** A subject's requests that are waiting for their turn: `take` joins them, `length` is how many they are. */
type SubjectQueue = { take: (cost: number) => Promise<RateShare>; length: number }

/**
 * Points per minute and subject, shared by all replicas where the database is; without it each process counts alone.
 */
export async function createRateLimits(database: Database, pointsPerMinute: number, windowSeconds = 60) {
  const options = { points: pointsPerMinute, duration: windowSeconds, keyPrefix: 'rl' }
  const memory = new RateLimiterMemory(options)
  const limiter = database.kind === 'mysql' ? await shared(database, options) : null
  const lines = new Map<string, SubjectQueue>()

  return {
    /**
     * Takes `cost` points from a subject, such as an address; or all of a window's points, where a window has fewer.
     */
    async take(subject: string, cost: number): Promise<RateShare> {
      const points = Math.min(cost, pointsPerMinute)
      if (!limiter) return (await takeTogether(subject, [points]))[0]!
      const line = lines.get(subject) ?? { take: grouped((costs) => takeTogether(subject, costs), Infinity), length: 0 }
      lines.set(subject, line)
      line.length += 1
      try {
        return await line.take(points)
      } finally {
        line.length -= 1
        if (line.length === 0) lines.delete(subject)
      }
    },
  }

  /**
   * Takes all costs in one go, so that a subject needs one connection for its requests of a
   * moment; answers each by itself.
   */
  async function takeTogether(subject: string, costs: number[]): Promise<RateShare[]> {
    const sum = costs.reduce((all, cost) => all + cost, 0)
    const { points, msBeforeNext } = await consume(subject, sum).then(takenOf, (reason: unknown) => {
      if (!(reason instanceof RateLimiterRes)) throw reason
      // A refusal from memory (`inMemoryBlockOnConsumed`) counts nothing and tells no number.
      return reason.consumedPoints > pointsPerMinute ? takenOf(reason) : { ...takenOf(reason), points: Infinity }
    })
    let taken = points - sum
    return costs.map((cost) => {
      taken += cost
      return {
        allowed: taken <= pointsPerMinute,
        limit: pointsPerMinute,
        remaining: Math.max(pointsPerMinute - taken, 0),
        windowSeconds,
        resetSeconds: Math.ceil(msBeforeNext / 1000),
      }
    })
  }

  /** Without the database each process goes on counting alone. */
  async function consume(subject: string, cost: number): Promise<RateLimiterRes> {
    if (!limiter) return memory.consume(subject, cost)
    try {
      // Repeated where the database rolls it back: requests of one subject collide at several nodes of a cluster. Not
      // after a lock-wait timeout: where a process that stands still has locked the row, the subject is counted in
      // memory instead of waiting again with a connection that all others need.
      return await database.write(() => limiter.consume(subject, cost), { patient: false })
    } catch (error) {
      if (error instanceof RateLimiterRes) throw error
      return memory.consume(subject, cost)
    }
  }
}

function takenOf({ consumedPoints, msBeforeNext }: RateLimiterRes): Taken {
  return { points: consumedPoints, msBeforeNext }
}

async function shared(
  database: Database,
  options: { points: number; duration: number; keyPrefix: string },
): Promise<RateLimiterMySQL> {
  const [rows] = (await database.knex.raw('SELECT DATABASE() AS name')) as [{ name: string }[]]
  return new RateLimiterMySQL({
    ...options,
    storeClient: database.knex,
    storeType: 'knex',
    dbName: rows[0]!.name,
    tableName: 'rate_limits',
    tableCreated: true,
    // `sweep` removes rows that have run out; the library's own timer would keep the process from ending.
    clearExpiredByTimeout: false,
    // A subject that has used up its points is refused from memory until its window ends: else each request of the
    // flood that the limit is to hold off would take a connection and write the row.
    inMemoryBlockOnConsumed: options.points,
  })
}
