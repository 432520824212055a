/** Waits for a condition, and fails loudly when it does not come true in time. Asks every 10 ms unless told. */
export async function until<T>(
  condition: () => T | Promise<T>,
  what: string,
  withinMs = 20_000,
  everyMs = 10,
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const value = await condition()
    if (value) return value as NonNullable<Exclude<T, false>>
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
