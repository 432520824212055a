/**
 * Switches single safeguards off, one at a time, in a copy of the tree, and sees whether the tests notice. Usage: npm
 * run test:mutations [part of a mutation's name; `contracts:` for those of the contracts]. Ends with 1 when a mutation
 * survives, or no longer applies.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { allMutations } from './mutations/allMutations.js'
import type { Mutation } from './mutations/mutation.js'

const root = resolve(import.meta.dirname, '..')
const copied = [
  'server',
  'sdk',
  'scripts',
  'test',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'openapi.yaml',
  '.mocharc.json',
] as const
/** A run that takes longer is no verdict. */
const runMs = 12 * 60 * 1000

const wanted = allMutations.filter((mutation) => mutation.name.includes(process.argv[2] ?? ''))
const survivors: string[] = []

/** Without any change the same tests have to pass; otherwise a red run says nothing. */
const commands = new Map(wanted.map(({ tests }) => [tests.join(' '), tests]))
for (const tests of commands.values()) {
  const outcome = inCopy((folder) => runTests(folder, tests))
  report(`unchanged: ${tests.join(' ')}`, outcome, 'green')
}
for (const mutation of wanted) {
  const outcome = inCopy((folder) => apply(folder, mutation) ?? runTests(folder, mutation.tests))
  report(mutation.name, outcome, 'red')
}
console.log(survivors.length === 0 ? 'Every mutation was noticed.' : `${survivors.length} to look at.`)
process.exitCode = survivors.length === 0 ? 0 : 1

type Outcome = { verdict: 'green' | 'red' | 'unclear'; detail: string; seconds: number }

function inCopy(work: (folder: string) => Outcome): Outcome {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
  try {
    for (const name of copied) {
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (source) => !/\/(?:node_modules|dist|\.data)$/.test(source),
      })
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Null: all changes were made, and the contracts compiled again where they were touched. */
function apply(folder: string, { changes }: Mutation): Outcome | null {
  for (const { file, find, replace } of changes) {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    const times = text.split(find).length - 1
    if (times !== 1) return { verdict: 'unclear', detail: `${file} has the safeguard ${times} times`, seconds: 0 }
    writeFileSync(
      path,
      text.replace(find, () => replace),
    )
  }
  if (!changes.some(({ file }) => file.endsWith('.sol'))) return null
  const compiled = spawnSync('node', ['--import', 'tsx', 'scripts/contracts.ts'], { cwd: folder, encoding: 'utf8' })
  return compiled.status === 0 ? null : { verdict: 'unclear', detail: lastLines(compiled.stderr), seconds: 0 }
}

function runTests(folder: string, tests: readonly string[]): Outcome {
  const startedAt = performance.now()
  const run = spawnSync('node', ['node_modules/mocha/bin/mocha.js', '--bail', ...tests], {
    cwd: folder,
    encoding: 'utf8',
    timeout: runMs,
    killSignal: 'SIGINT',
    // Short enough that a step which is lost is noticed before the run is given up. Nobody reads a smallest example
    // here, so CI keeps fast-check from looking for one.
    env: { CHAOS_STEPS: '24', CHAOS_STEP_MS: '150000', CI: 'true', ...process.env, FORCE_COLOR: '0' },
  })
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  if (run.status === 0) return { verdict: 'green', detail: '', seconds }
  // Only tests that failed are a verdict; a file that could not be loaded is none.
  const failed = /^ {2}\d+ failing/m.test(run.stdout)
  return {
    verdict: failed ? 'red' : 'unclear',
    detail: failed ? reasonIn(run.stdout) : lastLines(run.stdout + run.stderr),
    seconds,
  }
}

function report(name: string, { verdict, detail, seconds }: Outcome, expected: 'green' | 'red'): void {
  const fits = verdict === expected
  if (!fits) survivors.push(name)
  console.log(`${fits ? 'ok  ' : 'FAIL'} ${name}: ${verdict} after ${seconds} s${detail ? `\n       ${detail}` : ''}`)
}

/** The first line of what the first failing test says. */
function reasonIn(output: string): string {
  const failure = output.slice(output.search(/^ {2}\d+ failing/m))
  const lines = failure.split('\n').map((line) => line.trim())
  const told = lines.filter((line) => /^-? ?.*(?:Error|^- )/.test(line) || line.startsWith('- '))
  return (told[1] ?? told[0] ?? '').slice(0, 200)
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n       ')
}
