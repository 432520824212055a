import { readFileSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { nodeFlags } from '../../scripts/build.js'

const root = resolve(import.meta.dirname, '../..')
const bundles = new Map<string, Promise<void>>()

/** Native, or asked for by nothing that runs here (the drivers of other databases, by Knex). */
const external = [
  ...['better-sqlite3', 'secp256k1', 'esbuild', '@scalar/api-reference'],
  ...['mysql', 'sqlite3', 'pg', 'pg-query-stream', 'oracledb', 'tedious', 'mariadb'],
]

/** So that a source finds what it reads at run time beside itself, as from its own place. */
const fromItsPlace: Plugin = {
  name: 'from its place',
  setup(bundling) {
    bundling.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const place = JSON.stringify(pathToFileURL(path).href)
      return { loader: 'ts', contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place) }
    })
  },
}

/**
 * What node is given to run a TypeScript file of the repository as one file with all that it loads,
 * packages too: a program of many files takes twice as much of the processor to start, and the tests
 * start some of them dozens of times.
 */
export async function bundledProgram(source: string, ...words: string[]): Promise<string[]> {
  const file = join(root, '.data/test-bundles', source.replace(/\.ts$/, '.js'))
  const bundled = bundles.get(source) ?? bundle(source, file)
  bundles.set(source, bundled)
  await bundled
  return [...nodeFlags, file, ...words]
}

async function bundle(source: string, file: string): Promise<void> {
  // Several processes may make it at once, and run it.
  const outfile = `${file}.${process.pid}`
  await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
    plugins: [fromItsPlace],
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url)",
    },
  })
  renameSync(outfile, file)
}
