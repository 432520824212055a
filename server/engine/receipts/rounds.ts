/** How long until the next round. `canBeCut`: it may come sooner than that, if asked for. */
export type Pause = { ms: number; canBeCut: boolean }

/**
 * Does rounds one after the other until stopped, each followed by the pause that it asks for. `round` never rejects.
 */
export function createRounds(round: () => Promise<Pause>) {
  let stopped = false
  let pause: { canBeCut: boolean; cutTo: (ms: number) => void; end: () => void } | null = null
  let loop: Promise<void> = Promise.resolve()

  return {
    start(): void {
      loop = run()
    },
    /** Has a pause that can be cut end in so many milliseconds, unless it ends before that. */
    cutPause(ms: number): void {
      if (pause?.canBeCut) pause.cutTo(ms)
    },
    /** Resolves once the round under way has ended. */
    async stop(): Promise<void> {
      stopped = true
      pause?.end()
      await loop
    },
  }

  async function run(): Promise<void> {
    while (!stopped) {
      const asked = await round()
      if (!stopped) await rest(asked)
    }
  }

  async function rest({ ms, canBeCut }: Pause): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const endsAt = performance.now() + ms
    await new Promise<void>((end) => {
      const endIn = (leftMs: number) => {
        clearTimeout(timer)
        timer = setTimeout(end, leftMs)
      }
      endIn(ms)
      pause = { canBeCut, end, cutTo: (leftMs) => performance.now() + leftMs < endsAt && endIn(leftMs) }
    })
    clearTimeout(timer)
    pause = null
  }
}
