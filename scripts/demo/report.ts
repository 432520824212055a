type Shown = { shown: Record<string, string> }

/** What the demo prints; it remembers whether anything was not as promised. */
export function createReport() {
  const started = Date.now()
  let failures = 0

  return {
    title(text: string): void {
      console.log(`\n${text}`)
    },

    line(text: string): void {
      console.log(`  ${String(Date.now() - started).padStart(6)} ms  ${text}`)
    },

    balances(before: Shown, after: Shown): void {
      for (const [name, amount] of Object.entries(before.shown)) {
        console.log(`  ${name.padEnd(16)} ${amount.padStart(16)} -> ${after.shown[name]} USD`)
      }
    },

    expect(promise: string, actual: bigint, expected: bigint): void {
      const kept = actual === expected
      if (!kept) failures++
      console.log(`  ${kept ? 'kept  ' : 'BROKEN'} ${promise}${kept ? '' : `: ${actual}, not ${expected}`}`)
    },

    finish(): void {
      console.log(failures === 0 ? '\nEverything as promised.' : `\n${failures} promises broken.`)
      process.exitCode = failures === 0 ? 0 : 1
    },
  }
}
