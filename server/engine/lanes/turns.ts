/** Lets one at a time do something of a name; the others wait in the order in which they came. */
export type Turns = {
  take<T>(name: string, work: () => Promise<T>): Promise<{ done: true; result: T } | { done: false }>
  /** How many are at it or wait for it. */
  queued(name: string): number
}

/** Who has waited longer than `patienceMs` is sent away undone, so that slow work makes no growing queue. */
export function createTurns(patienceMs: number): Turns {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>()

  return {
    async take(name, work) {
      const queue = queues.get(name) ?? { last: Promise.resolve(), length: 0 }
      queues.set(name, queue)
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
        if (queue.length === 0) queues.delete(name)
      }
    },

    queued: (name) => queues.get(name)?.length ?? 0,
  }
}
