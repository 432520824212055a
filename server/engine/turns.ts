/** Lets one at a time do something of a name; the others wait in the order in which they came. */
export type Turns = <T>(name: string, work: () => Promise<T>) => Promise<{ done: true; result: T } | { done: false }>

/** Who has waited longer than `patienceMs` is sent away undone, so that slow work makes no growing queue. */
export function createTurns(patienceMs: number): Turns {
  const last = new Map<string, Promise<unknown>>()

  return async (name, work) => {
    const before = last.get(name)
    const asked = performance.now()
    const turn = (async () => {
      await before
      if (performance.now() - asked > patienceMs) return { done: false } as const
      return { done: true, result: await work() } as const
    })()
    const ended = turn.then(
      () => undefined,
      () => undefined,
    )
    last.set(name, ended)
    try {
      return await turn
    } finally {
      if (last.get(name) === ended) last.delete(name)
    }
  }
}
