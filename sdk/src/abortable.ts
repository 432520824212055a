/** Why it has aborted; signals of old platforms and of stand-ins for them don't tell, and can't throw. */
function reasonOf(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error('This operation was aborted.'), { name: 'AbortError' })
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw reasonOf(signal)
}

/**
 * Awaits a promise, or a plain value. Rejects with the signal's reason if that aborts first; what comes after that is
 * dropped.
 */
export function untilAborted<T>(promise: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(reasonOf(signal!) as Error)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    void Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', onAbort))
  })
}

/**
 * Asks a wallet, unless the signal has aborted, and waits for it until the signal does.
 * What it shows by then stays there.
 */
export async function abortable<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  throwIfAborted(signal)
  return untilAborted(ask(), signal)
}
