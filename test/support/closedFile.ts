import { readdirSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { until } from './until.js'

const openFiles = '/proc/self/fd'

/** A twentieth of what it takes by the inspector, which gives pages back as well. */
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * Has SQLite's driver let go of files in a folder: it does once the statements on a closed database are collected.
 * Until then nobody else, in this process either, may open one.
 */
export async function closeFilesIn(folder: string): Promise<void> {
  await until(async () => {
    collectGarbage()
    // The driver lets go of what was collected a turn later.
    await setImmediate()
    return !isOpenIn(folder)
  }, `the files in ${folder} to be closed`)
}

/** False as well where the system does not tell. */
function isOpenIn(folder: string): boolean {
  return openFileNames().some((name) => name.startsWith(folder))
}

function openFileNames(): string[] {
  try {
    return readdirSync(openFiles).flatMap((descriptor) => linkOf(`${openFiles}/${descriptor}`))
  } catch {
    return []
  }
}

/** Nothing for one that was closed meanwhile. */
function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)]
  } catch {
    return []
  }
}
