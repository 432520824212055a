/**
 * What the built SDK adds to a web page, beside viem: each entry bundled, minified and compressed. Ends with 1 when an
 * entry is over its limit. Usage: npm run size -w sdk (after a build).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const sdk = join(import.meta.dirname, '..', 'sdk')

/** Bytes after gzip. `viem.js` has the client in it; who uses both loads it once. */
const limits: Record<string, number> = { 'index.js': 13_400, 'signing.js': 2_000, 'viem.js': 14_500 }

for (const [entry, limit] of Object.entries(limits)) {
  const { outputFiles } = await build({
    entryPoints: [join(sdk, 'dist', entry)],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: Object.keys(
      (JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as { peerDependencies: object }).peerDependencies,
    ),
    write: false,
  })
  const size = gzipSync(outputFiles[0]!.contents, { level: 9 }).length
  console.log(`${entry.padEnd(12)} ${size} of at most ${limit} bytes`)
  if (size > limit) process.exitCode = 1
}
