import { join, resolve } from 'node:path'
import { build, nodeFlags } from '../../scripts/build.js'

const root = resolve(import.meta.dirname, '../..')
const folder = '.data/test-programs'
let built: Promise<void> | undefined

/**
 * A TypeScript file of the repository as JavaScript, with all that it imports, built from what is in the folders now:
 * with a loader of TypeScript a process takes three times as much of the processor to start. Its packages stay outside,
 * so that what is loaded before can change them, as kill points do; else `bundledProgram` starts sooner.
 */
export async function builtFile(source: string): Promise<string> {
  built ??= build(folder, ['test/support', 'test/chaos', 'test/e2e/load'])
  await built
  return join(root, folder, source.replace(/\.ts$/, '.js'))
}

/** What node is given to run it. */
export async function builtProgram(source: string, ...words: string[]): Promise<string[]> {
  return [...nodeFlags, await builtFile(source), ...words]
}
