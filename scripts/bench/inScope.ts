type Stoppable = { stop(): Promise<void> }

export type Keep = <T extends Stoppable>(starting: Promise<T>) => Promise<T>

/** Of all scopes, in the order in which they were started. */
const running = new Set<Stoppable>()

/** Runs the work and stops what it has started through `keep`, last first, however it ends. */
export async function inScope<Result>(work: (keep: Keep) => Promise<Result>): Promise<Result> {
  const started: Stoppable[] = []
  try {
    return await work(async (starting) => {
      const one = await starting
      started.push(one)
      running.add(one)
      return one
    })
  } finally {
    for (const one of started.reverse()) await stopOne(one)
  }
}

/** For when there is no time to wait for the end of what runs, which fails then. */
export async function stopAll(): Promise<void> {
  for (const one of [...running].reverse()) await stopOne(one).catch(() => undefined)
}

/** Once. */
async function stopOne(one: Stoppable): Promise<void> {
  if (running.delete(one)) await one.stop()
}
