/**
 * Lists the licences of everything that package-lock.json installs, and ends with 1 if one is missing or not among the
 * permissive ones. Usage: npm run licences [-- --json]
 */
import { readFileSync } from 'node:fs'

type Locked = { version?: string; license?: string; dev?: boolean; devOptional?: boolean; link?: boolean }

/** They ask for no more than their text to be kept. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
  'Zlib',
]

/**
 * axe-core checks the pages' accessibility in the tests; MPL asks for changes to its own files only, and we make none.
 */
const forDevelopment = ['MPL-2.0']

/**
 * Packages that don't name their licence where npm looks for it: memorystream's own file says MIT; neverpanic (of the
 * reference page, never loaded by the service) says it in the registry and in its later versions.
 */
const readByHand: Record<string, string> = { memorystream: 'MIT', neverpanic: 'MIT' }

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Locked>
}
const packages = Object.entries(lock.packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, { version = '', license, dev, devOptional }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return { name, version, licence: license ?? readByHand[name] ?? 'unknown', isDev: Boolean(dev ?? devOptional) }
  })

const refused = packages.filter(
  ({ licence, isDev }) => !isPermissive(licence) && !(isDev && forDevelopment.includes(licence)),
)
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(packages, null, 2)}\n`)
else print()
for (const { name, version, licence } of refused) {
  process.stderr.write(`${name}@${version}: ${licence} is not among the permissive licences\n`)
}
process.exitCode = refused.length > 0 ? 1 : 0

/** Of several (`MIT OR Apache-2.0`) one will do; with `AND` all have to. */
function isPermissive(licence: string): boolean {
  return licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((one) => one.split(' AND ').every((part) => permissive.includes(part)))
}

function print(): void {
  for (const licence of [...new Set(packages.map((entry) => entry.licence))].sort()) {
    const own = packages.filter((entry) => entry.licence === licence)
    const shipped = own.filter(({ isDev }) => !isDev)
    process.stdout.write(`${licence}: ${shipped.length} shipped, ${own.length - shipped.length} for development\n`)
    const names = [...new Set(shipped.map(({ name, version }) => `${name}@${version}`))].sort()
    if (names.length > 0) process.stdout.write(`  ${names.join(', ')}\n`)
  }
}
