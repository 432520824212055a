import { IntentConnectionError, IntentTimeoutError, retryableStatuses } from './errors.js'
import { throwIfAborted, untilAborted } from './abortable.js'
import { limitedSignal } from './limitedSignal.js'
import { sleep } from './sleep.js'

/** A request as `fetch` is given it: an address and plain values, so that a wrapper can add a header by spreading. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

export type FetchInit = {
  method: string
  /** By name in lower case. */
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal
}

export type Outgoing = { url: string } & Omit<FetchInit, 'signal'>

/** Sends a request, as often as it takes and may. */
export type SendRequest = (request: Outgoing) => Promise<Response>

/** How one call is carried out. */
export type TransportOptions = {
  fetch: Fetch
  /** How long one try may take, in milliseconds, the body included. */
  timeoutMs: number
  /** How many tries may follow the first. */
  retries: number
  /**
   * `always`: the same request twice does no harm. `refused`: only what the service has
   * refused unseen (429) is repeated.
   */
  repeat: 'always' | 'refused'
  signal: AbortSignal | undefined
  /** Reads each answer; rejects for one that is as good as lost. */
  check?: (answer: Response) => Promise<void>
}

const firstDelayMs = 500
const longestDelayMs = 8_000
/** A service that wants us to wait longer is not waited for: the caller gets its answer with `retryAfterMs`. */
export const longestRetryAfterMs = 60_000

/** Sends with a timeout and retries. Answers are read to the end, so a broken body counts as a broken connection. */
export function createSendRequest(options: TransportOptions): SendRequest {
  return async (request) => {
    for (let tries = 0; ; tries++) {
      const isLast = !(tries < options.retries)
      let delayMs = backoff(tries)
      try {
        const response = await tryOnce(request, options)
        await options.check?.(response)
        const repeatable =
          options.repeat === 'always' ? retryableStatuses.has(response.status) : response.status === 429
        if (!repeatable || isLast) return response
        const wanted = retryAfterMs(response.headers)
        if ((wanted ?? 0) > longestRetryAfterMs) return response
        delayMs = wanted ?? delayMs
      } catch (error) {
        if (options.signal?.aborted || isLast || options.repeat !== 'always') throw error
      }
      await sleep(delayMs, options.signal)
    }
  }
}

/** The header's seconds or date (RFC 9110, 10.2.3) as milliseconds from now. Null when there is none. */
export function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim() ?? ''
  const ms = /^[0-9]+$/.test(value) ? Number(value) * 1000 : Math.max(0, Date.parse(value) - Date.now())
  return ms >= 0 ? ms : null
}

async function tryOnce({ url, ...init }: Outgoing, { fetch, timeoutMs, signal }: TransportOptions): Promise<Response> {
  throwIfAborted(signal)
  const limited = limitedSignal(timeoutMs, signal)
  try {
    // Not every `fetch` heeds its signal.
    const response = await untilAborted(fetch(url, { ...init, signal: limited.signal }), limited.signal)
    const text = await untilAborted(response.text(), limited.signal)
    const { status, headers } = response
    return new Response(text === '' ? null : text, { status, headers })
  } catch (error) {
    return limited.fail(
      new IntentConnectionError('The service could not be reached, or hung up.', error),
      () => new IntentTimeoutError(`The service has not answered within ${timeoutMs} ms.`),
    )
  } finally {
    limited.close()
  }
}

/** 0.5 s, 1 s, 2 s … up to 8 s, less up to a quarter, so that clients do not come back all at once. */
export function backoff(tries: number): number {
  return Math.min(firstDelayMs * 2 ** tries, longestDelayMs) * (1 - Math.random() / 4)
}
