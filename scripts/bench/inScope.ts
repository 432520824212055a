export type Keep = <T extends { stop(): Promise<void> }>(starting: Promise<T>) => Promise<T>

/** Runs the work and stops what it has started through `keep`, last first, however it ends. */
export async function inScope<Result>(work: (keep: Keep) => Promise<Result>): Promise<Result> {
  const started: { stop(): Promise<void> }[] = []
  try {
    return await work(async (starting) => {
      const one = await starting
      started.push(one)
      return one
    })
  } finally {
    for (const one of started.reverse()) await one.stop()
  }
}
