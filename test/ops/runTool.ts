import { spawnSync } from 'node:child_process'
import { bundledProgram } from '../support/bundledProgram.js'

const ofService = /^(CHAINS_FILE|DATABASE_URL|DATA_DIR|SOLVER_)/
const bare = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofService.test(name)))

/** Runs a tool as operators start it, with nothing of the service in its environment but what is named here. */
export async function runTool(tool: string, words: readonly string[], env: Record<string, string> = {}) {
  const args = await bundledProgram(`scripts/${tool}.ts`, ...words)
  return spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...bare, ...env }, timeout: 50_000 })
}
