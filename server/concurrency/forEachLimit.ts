/**
 * Does the work for each entry, for at most `atOnce` of them at a time, and begins with them in their order. After an
 * error no further entry is begun; the error is thrown once the work on all that had begun has ended.
 */
export async function forEachLimit<Entry>(
  entries: Iterable<Entry>,
  atOnce: number,
  work: (entry: Entry) => Promise<void>,
): Promise<void> {
  const left = entries[Symbol.iterator]()
  const errors: unknown[] = []
  const takeOneByOne = async () => {
    for (let next = left.next(); !next.done && errors.length === 0; next = left.next()) {
      await work(next.value).catch((error: unknown) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, takeOneByOne))
  if (errors.length > 0) throw errors[0]
}
