import { type FileHandle, open } from 'node:fs/promises'

export type WalFlush = ReturnType<typeof createWalFlush>

/** The disk did not take what was committed, and nobody knows how much of it; nothing more is stored then. */
export class DiskFailure extends Error {
  override readonly name = 'DiskFailure'
}

/**
 * Has what SQLite commits outlast a power failure, as `synchronous = FULL` would, but without keeping this thread waiting
 * for the disk: SQLite appends a commit to its write-ahead log (`synchronous = NORMAL`), and the log is flushed from
 * another thread. Commits that come while a flush is under way share the next one. The log is one file and is read up to
 * its first gap, so that whatever has reached the disk has all before it there too.
 * States: clean (all on the disk) → written (something is not) → flushing → clean, or written if more came meanwhile; or
 * failed, for good: after a failed flush the kernel may take for written what it has dropped.
 */
export function createWalFlush(file: string) {
  let handle: Promise<FileHandle> | null = null
  /** Commits so far, and how many of them are on the disk. */
  let committed = 0
  let flushed = 0
  /** Writes that may have committed, of which nobody has said so yet. */
  let underWay = 0
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  let failure: DiskFailure | null = null

  return {
    /** Says that something may have been committed. To be said before anybody else can read it. */
    noteCommit(): void {
      committed += 1
    },

    /** For a write that commits by itself, which others may read before this says so. */
    async noteWrite<T>(write: () => Promise<T>): Promise<T> {
      underWay += 1
      try {
        return await write()
      } finally {
        underWay -= 1
        committed += 1
      }
    },

    /** Resolves once all that was committed before is on the disk. Throws `DiskFailure`. */
    onDisk(): Promise<void> {
      if (failure) return Promise.reject(failure)
      if (underWay === 0 && flushed === committed) return Promise.resolve()
      return (next ??= flushNext())
    },

    async close(): Promise<void> {
      await running
      await (await handle?.catch(() => null))?.close()
      handle = null
    },
  }

  /** One after the other: who comes during a flush can't tell whether it has seen his commit. */
  async function flushNext(): Promise<void> {
    await running
    const mine = flush()
    running = mine.catch(() => undefined)
    next = null
    return mine
  }

  async function flush(): Promise<void> {
    if (failure) throw failure
    const upTo = committed
    try {
      // Node's own: SQLite keeps one log for as long as the database is open.
      handle ??= open(`${file}-wal`, 'r+')
      await (await handle).datasync()
      flushed = upTo
    } catch (error) {
      failure = new DiskFailure(
        'What was stored has not reached the disk; restart the service once the disk is sound.',
        {
          cause: error,
        },
      )
      throw failure
    }
  }
}
