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
  const limiter = database.kind === 'mysql' ? await shared(database, options) : null

  /** Without the database each process goes on counting alone. */
  async function consume(subject: string, cost: number): Promise<RateLimiterRes> {
    if (!limiter) return memory.consume(subject, cost)
    try {
      // Requests of one subject at several nodes of a cluster get in each other's way. A subject whose row a process that
      // stands still has locked is counted here: who waits for it holds a connection that all others need.
      return await database.write(() => limiter.consume(subject, cost), { patient: false })
    } catch (error) {
      if (error instanceof RateLimiterRes) throw error
      return memory.consume(subject, cost)
    }
  }

  return {
    /** Takes `cost` points of a subject, such as an address. */
    async take(subject: string, cost: number): Promise<RateLimit> {
      const answer = await consume(subject, cost).then(
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
): Promise<RateLimiterMySQL> {
  const [rows] = (await database.knex.raw('SELECT DATABASE() AS name')) as [{ name: string }[]]
  return new RateLimiterMySQL({
    ...options,
    storeClient: database.knex,
    storeType: 'knex',
    dbName: rows[0]!.name,
    tableName: 'rate_limits',
    tableCreated: true,
    // Rows that have run out are swept with everything else in the store; its own timer would outlive the process's end.
    clearExpiredByTimeout: false,
  })
}
