/**
 * Asks a wallet, unless the signal has aborted, and waits for its answer until the signal does; rejects with the signal's
 * reason then. What the wallet shows already stays there, and its answer is dropped.
 */
export async function abortable<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason as Error)
    signal?.addEventListener('abort', abort, { once: true })
    void ask()
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', abort))
  })
}
