/**
 * Measures the service beside its baselines: npm run bench [name…] (all without names; the names are those below). Ends
 * with 1 when a target is missed, or when something could not be measured. README.md tells of each benchmark and of
 * the variables that make it longer or shorter.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname } from 'node:path'
import { bundles } from './bundles.js'
import type { Result } from './compare.js'
import { crowd } from './crowd.js'
import { createDatabases, type DatabaseKind, databaseKinds, type Databases } from './databases.js'
import { engine } from './engine.js'
import type { Bench } from './environment.js'
import { startLoadGenerator } from './generateLoad.js'
import { growth } from './growth.js'
import { inScope, stopAll } from './inScope.js'
import { intake } from './intake.js'
import { latency } from './latency.js'
import { memory } from './memory.js'
import { processes } from './processes.js'
import { PartlyMeasured } from './partlyMeasured.js'
import { read } from './read.js'
import { isMet, table } from './report.js'
import { roundTrips } from './roundTrips.js'
import { soak } from './soak.js'
import { buildProcesses } from './startProcess.js'
import { streams } from './streams.js'

const benchmarks: Record<string, (bench: Bench, kind: DatabaseKind) => Promise<Result[]>> = {
  read,
  intake,
  processes,
  engine,
  bundles,
  crowd,
  latency,
  rpc: roundTrips,
  memory,
  streams,
  growth,
  soak,
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benchmarks)
requireKnown('benchmark', names, Object.keys(benchmarks))
const kinds = (process.env.BENCH_DATABASES ?? databaseKinds.join()).split(',') as DatabaseKind[]
requireKnown('database', kinds, databaseKinds)
const rounds = positive('BENCH_ROUNDS', 5)
const seconds = positive('BENCH_SECONDS', 4)
const output = process.env.BENCH_OUTPUT ?? '.data/bench.json'

const results: Result[] = []
const failures: { benchmark: string; database: DatabaseKind; error: string }[] = []

// Else the chains and databases of a run that is given up would stay.
let isGivenUp = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isGivenUp = true
    console.error(`${signal}: stopping what was started`)
    void stopAll().then(() => process.exit(1))
  })
}

await buildProcesses()
await inScope(async (keep) => {
  const databases = await keep(Promise.resolve(createDatabases()))
  for (const name of names) {
    for (const kind of kinds) await measure(name, kind, databases)
  }
})
const broken = results.filter((result) => !isMet(result))
console.log(`${results.length} figures in ${output}; ${broken.length} targets missed`)
for (const { benchmark, database, error } of failures) console.log(`${benchmark} / ${database} not measured: ${error}`)
process.exitCode = broken.length + failures.length > 0 ? 1 : 0

/** What can't be measured is told, and costs no figure of another. */
async function measure(name: string, kind: DatabaseKind, databases: Databases): Promise<void> {
  if (isGivenUp) return
  try {
    const found = await inScope(async (keep) => {
      const load = await keep(startLoadGenerator())
      return benchmarks[name]!({ rounds, seconds, databases, load }, kind)
    })
    add(found)
  } catch (error) {
    if (isGivenUp) return
    if (error instanceof PartlyMeasured) add(error.results)
    failures.push({ benchmark: name, database: kind, error: error instanceof Error ? error.message : String(error) })
    console.error(error)
  }
  write()
}

function add(found: readonly Result[]): void {
  results.push(...found)
  if (found.length > 0) console.log(table(found))
}

/** All so far: a long run may be cut off. */
function write(): void {
  mkdirSync(dirname(output), { recursive: true })
  const machine = { node: process.version, cpu: cpus()[0]!.model, cores: cpus().length }
  const content = { commit: commitNow(), measuredAt: new Date().toISOString(), machine, results, failures }
  writeFileSync(output, JSON.stringify(content, null, 2))
}

/** Null where this is no checkout. */
function commitNow(): string | null {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return null
  }
}

function requireKnown(what: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.filter((name) => !known.includes(name))
  if (unknown.length > 0) stopWith(`No such ${what}: ${unknown.join(', ')}; there are ${known.join(', ')}`)
}

function positive(name: string, otherwise: number): number {
  const value = Number(process.env[name] ?? otherwise)
  if (!Number.isInteger(value) || value < 1) stopWith(`${name}: a whole number from 1 on, not ${process.env[name]}`)
  return value
}

function stopWith(problem: string): never {
  console.error(problem)
  process.exit(1)
}
