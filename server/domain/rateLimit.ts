import type { Address } from 'viem'

/** What a subject, such as an address, has of the rate limit after a request was counted against it. */
export type RateShare = {
  /** Whether the request is within it. */
  allowed: boolean
  /** Points per window, and how many are left of them. */
  limit: number
  remaining: number
  windowSeconds: number
  /** Until the next window begins. */
  resetSeconds: number
}

/** Counts a request against a user who is known to have signed what it asks for; throws `rate_limited`. */
export type CountFor = (user: Address) => Promise<void>
