/** JSON has no bigint: amounts and values are written as decimal strings, and read back by `readAmounts`. */
export function writeAmounts(content: unknown): string {
  return JSON.stringify(content, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
}

/** What `writeAmounts` has written of intents and batches, where `amount` and `value` are what was a bigint. */
export function readAmounts(text: string): unknown {
  return JSON.parse(text, (key, part: unknown) =>
    (key === 'amount' || key === 'value') && typeof part === 'string' ? BigInt(part) : part,
  )
}
