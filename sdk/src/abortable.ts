/** What a promise gives; rejects with the signal's reason when it aborts before, and what comes then is dropped. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal?.reason as Error)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    void promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', onAbort))
  })
}

/** Asks a wallet, unless the signal has aborted, and waits for it until the signal does. What it shows by then stays there. */
export async function abortable<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted()
  return untilAborted(ask(), signal)
}
