/** Has work of one key done one at a time; the rest waits in the order in which it came. */
export type KeyedMutex = {
  /** Not `done`: the work has waited for too long and was not begun. */
  run<T>(key: string, work: () => Promise<T>): Promise<{ done: true; result: T } | { done: false }>
  /** How much work of the key is being done or waits. */
  queued(key: string): number
}

/** Work that has waited longer than `patienceMs` is sent away undone, so that slow work makes no growing queue. */
export function createKeyedMutex(patienceMs: number): KeyedMutex {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>()

  return {
    async run(key, work) {
      const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 }
      queues.set(key, queue)
      const before = queue.last
      const asked = performance.now()
      const turn = (async () => {
        await before
        if (performance.now() - asked > patienceMs) return { done: false } as const
        return { done: true, result: await work() } as const
      })()
      queue.last = turn.catch(() => undefined)
      queue.length += 1
      try {
        return await turn
      } finally {
        queue.length -= 1
        if (queue.length === 0) queues.delete(key)
      }
    },

    queued: (key) => queues.get(key)?.length ?? 0,
  }
}
