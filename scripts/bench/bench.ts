/**
 * Measures the service beside its baselines: npm run bench [name…] (all without names; the names are those below).
 * BENCH_ROUNDS (5), BENCH_SECONDS per round (4), BENCH_DATABASES (sqlite,mysql), BENCH_OUTPUT for the JSON
 * (.data/bench.json), BENCH_STEPS of a round through the engine (1000, with blocks of 1 s 3000), BENCH_MEMORY_STEPS (10000), BENCH_PROFILE for a
 * folder of V8 profiles. Ends with 1 when a bound is not kept.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname } from 'node:path'
import { bundles } from './bundles.js'
import type { Result } from './compare.js'
import { createDatabases, type DatabaseKind } from './databases.js'
import { engine } from './engine.js'
import type { Bench } from './environment.js'
import { startLoadGenerator } from './generateLoad.js'
import { growth } from './growth.js'
import { intake } from './intake.js'
import { latency } from './latency.js'
import { memory } from './memory.js'
import { processes } from './processes.js'
import { read } from './read.js'
import { isKept, table } from './report.js'
import { roundTrips } from './roundTrips.js'
import { buildProcesses } from './startProcess.js'
import { streams } from './streams.js'

const benchmarks: Record<string, (bench: Bench) => Promise<Result[]>> = {
  read,
  intake,
  processes,
  engine,
  bundles,
  latency,
  rpc: roundTrips,
  memory,
  streams,
  growth,
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benchmarks)
const unknown = names.filter((name) => !benchmarks[name])
if (unknown.length > 0) {
  console.error(`No such benchmark: ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}`)
  process.exit(1)
}

await buildProcesses()
const databases = createDatabases()
const load = await startLoadGenerator()
const bench: Bench = {
  rounds: Number(process.env.BENCH_ROUNDS ?? 5),
  seconds: Number(process.env.BENCH_SECONDS ?? 4),
  kinds: (process.env.BENCH_DATABASES ?? 'sqlite,mysql').split(',') as DatabaseKind[],
  databases,
  load,
}

const results: Result[] = []
try {
  for (const name of names) {
    const found = await benchmarks[name]!(bench)
    results.push(...found)
    console.log(table(found))
  }
} finally {
  await load.stop()
  await databases.stop()
}

const output = process.env.BENCH_OUTPUT ?? '.data/bench.json'
mkdirSync(dirname(output), { recursive: true })
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const machine = { node: process.version, cpu: cpus()[0]!.model, cores: cpus().length }
writeFileSync(output, JSON.stringify({ commit, measuredAt: new Date().toISOString(), machine, results }, null, 2))
const broken = results.filter((result) => !isKept(result))
console.log(`${results.length} figures in ${output}; ${broken.length} bounds not kept`)
process.exitCode = broken.length > 0 ? 1 : 0
