import { build, nodeFlags } from '../../scripts/build.js'

let built: Promise<void> | undefined

/** What `npm start` runs, for node: the service as JavaScript, built from what is in the folder now. */
export async function serviceProgram(): Promise<string[]> {
  built ??= build('dist')
  await built
  return [...nodeFlags, 'dist/server/main.js']
}
