import { execFile } from 'node:child_process'
import { join } from 'node:path'

export const examples = join(import.meta.dirname, '..', '..', 'sdk', 'examples')

/** Runs an example against the sources of the SDK, and resolves with what it says. */
export function runExample(name: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', join(examples, name)],
      { cwd: examples, env: { ...process.env, ...env, TSX_TSCONFIG_PATH: join(examples, 'tsconfig.json') } },
      (error, stdout, stderr) => (error ? reject(new Error(stdout + stderr)) : resolve(stdout.trim())),
    )
  })
}
