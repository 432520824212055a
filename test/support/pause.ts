/** How long a fault lasts, or the pace of what goes on beside a test. Never a wait for a condition: that is `until`. */
export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}

/** Goes on beside a test until it is stopped, each turn after a pause; none begins once it has been told to stop. */
export function keepDoing(turn: () => unknown, pauseMs: () => number) {
  let stopped = false
  const loop = run()
  return {
    async stop(): Promise<void> {
      stopped = true
      await loop
    },
  }

  async function run(): Promise<void> {
    for (;;) {
      await pause(pauseMs())
      if (stopped) return
      await turn()
    }
  }
}
