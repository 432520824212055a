import { RateLimiterMemory, RateLimiterMySQL, RateLimiterRes } from 'rate-limiter-flexible'
import type { Database } from './database.js'

export type RateLimit = {
  allowed: boolean
  /** Points per window, and how many are left of them. */
  limit: number
  remaining: number
  windowSeconds: number
  /** Until the window starts anew. */
  resetSeconds: number
}

export type RateLimits = ReturnType<typeof createRateLimits>

const windowSeconds = 60

/** Points per minute and subject, shared by all replicas where the database is; without it each process counts alone. */
export async function createRateLimits(database: Database, pointsPerMinute: number) {
  const options = { points: pointsPerMinute, duration: windowSeconds, keyPrefix: 'rl' }
  const memory = new RateLimiterMemory(options)
  const limiter = database.kind === 'mysql' ? await shared(database, options, memory) : memory

  return {
    /** Takes `cost` points of a subject, such as an address. */
    async take(subject: string, cost: number): Promise<RateLimit> {
      const answer = await limiter.consume(subject, cost).then(
        (state) => ({ allowed: true, state }),
        (state: unknown) => {
          if (!(state instanceof RateLimiterRes)) throw state
          return { allowed: false, state }
        },
      )
      return {
        allowed: answer.allowed,
        limit: pointsPerMinute,
        remaining: Math.max(answer.state.remainingPoints, 0),
        windowSeconds,
        resetSeconds: Math.ceil(answer.state.msBeforeNext / 1000),
      }
    },
  }
}

async function shared(
  database: Database,
  options: { points: number; duration: number; keyPrefix: string },
  insuranceLimiter: RateLimiterMemory,
): Promise<RateLimiterMySQL> {
  const [rows] = (await database.knex.raw('SELECT DATABASE() AS name')) as [{ name: string }[]]
  return new RateLimiterMySQL({
    ...options,
    insuranceLimiter,
    storeClient: database.knex,
    storeType: 'knex',
    dbName: rows[0]!.name,
    tableName: 'rate_limits',
    tableCreated: true,
    // Rows that have run out are swept by the timer of one process at a time; an exiting process has none left.
    clearExpiredByTimeout: false,
  })
}
