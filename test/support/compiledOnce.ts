import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { compile } from '../../scripts/contracts.js'

const root = resolve(import.meta.dirname, '../..')
const kept = join(root, '.data/test-contracts')

/** As `compile`, which takes seconds; what it made of the same sources before is read instead, by whichever process. */
export function compiledOnce(folder: string): ReturnType<typeof compile> {
  const file = join(kept, `${sourcesOf(folder)}.json`)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof compile>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const artifacts = compile(folder)
  mkdirSync(kept, { recursive: true })
  const mine = `${file}.${process.pid}`
  writeFileSync(mine, JSON.stringify(artifacts))
  renameSync(mine, file)
  return artifacts
}

/**
 * All that may show in what is compiled: the folder, the service's contracts, the packages and the compiler's settings.
 */
function sourcesOf(folder: string): string {
  const hash = createHash('sha256')
  const files = [folder, join(root, 'server/contracts')].flatMap((of) =>
    readdirSync(of, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort(),
  )
  for (const file of [...files, join(root, 'package-lock.json'), join(root, 'scripts/contracts.ts')]) {
    hash
      .update(`${file.slice(root.length)}\n`)
      .update(readFileSync(file))
      .update('\n')
  }
  return hash.digest('hex')
}
