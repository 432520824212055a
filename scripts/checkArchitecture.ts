/**
 * Checks who imports whom (see the table), that there are no cycles, no catch-all files,
 * no barrels and no idle exports.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** The rooms that a process is put together of. */
const rooms = [
  'server/domain',
  'server/concurrency',
  'server/store',
  'server/chain',
  'server/services',
  'server/engine',
  'server/api',
  'server/config',
  'server/process',
  'server/devnet',
]

/** What all rooms of the store may import beside each other. */
const ofStore = ['server/domain', 'server/lists', 'server/concurrency']
const sharedInStore = [
  'server/store/connection',
  ...['rows', 'claims', 'storedMessage', 'writtenTogether'].map((name) => `server/store/${name}.ts`),
]

/** What all rooms of the engine may import beside each other. */
const ofEngine = [
  'server/domain',
  'server/lists',
  'server/concurrency',
  'sdk/src/signing.ts',
  'sdk/src/keccak256.ts',
  'type:server/store',
  'type:server/chain',
]
const sharedInEngine = ['tools', 'visit', 'worker', 'logFields', 'payload', 'heads'].map(
  (name) => `server/engine/${name}.ts`,
)

/** What the files of a folder may import, beside their own folder. A `type:` folder may be imported as types only. */
const allowed: Record<string, string[]> = {
  'server/lists': [],
  'server/concurrency': [],
  'server/domain': ['server/lists'],
  'server/store': [...ofStore, 'server/store'],
  'server/store/connection': [...ofStore, 'server/store/migrations'],
  'server/store/actions': [...ofStore, ...sharedInStore, 'type:server/store/journal'],
  'server/store/money': [...ofStore, ...sharedInStore, 'server/store/airdrops.ts', 'server/store/actions'],
  'server/store/journal': [
    ...ofStore,
    ...sharedInStore,
    'server/store/airdrops.ts',
    'server/store/emptyLedger.ts',
    'server/store/actions',
    'server/store/money',
  ],
  'server/chain': ['server/domain', 'server/lists', 'server/concurrency', 'sdk/src/signing.ts', 'sdk/src/keccak256.ts'],
  'server/services': [
    'server/domain',
    'server/concurrency',
    'sdk/src/signing.ts',
    'sdk/src/keccak256.ts',
    'type:server/store',
    'type:server/chain',
  ],
  'server/engine': [...ofEngine, 'server/engine'],
  'server/engine/lanes': [...ofEngine, ...sharedInEngine],
  'server/engine/outcomes': [...ofEngine, ...sharedInEngine, 'server/engine/lanes'],
  'server/engine/receipts': [...ofEngine, ...sharedInEngine, 'server/engine/lanes', 'server/engine/outcomes'],
  'server/engine/steps': [...ofEngine, ...sharedInEngine, 'server/engine/lanes', 'server/engine/outcomes'],
  'server/api': [
    'server/domain',
    'server/concurrency',
    'sdk/src/keccak256.ts',
    'sdk/src/readToken.ts',
    'type:server/services',
  ],
  'server/config': ['server/domain', 'type:server/store'],
  'server/process': ['server/domain', 'server/chain/nodes/redact.ts', 'type:server/config', 'type:server/services'],
  'server/start': ['server/lists', ...rooms],
  // These two run in a browser, which loads nothing but their files.
  'server/docs': [],
  'server/explorer': ['type:server/api/generated'],
  'server/devnet': ['server/domain', 'server/chain/generated'],
  sdk: [],
  server: ['server/start', ...rooms],
  scripts: ['server', 'sdk', 'test'],
  test: ['server', 'sdk', 'scripts'],
}

const forbiddenNames = /^(utils?|helpers?|common|misc|types)\.ts$/

/** The entries of the SDK: what these export is for others. */
const entries = ['sdk/src/index.ts', 'sdk/src/signing.ts', 'sdk/src/viem.ts']
/** Beside them the one file of the SDK that touches generated code. */
const mayReExport = [...entries, 'sdk/src/wire.ts']

const problems: string[] = []
const graph = new Map<string, string[]>()
/** What the sources but those of tests export. */
const exported: { file: string; name: string }[] = []
/** What others import of each file; `*`: all that it exports. */
const imported = new Map<string, Set<string>>()

for (const file of ['server', 'sdk/src', 'scripts', 'test'].flatMap(sources)) {
  if (file.includes('/generated/')) continue
  const text = readFileSync(join(root, file), 'utf8')
  if (forbiddenNames.test(file.split('/').at(-1)!)) problems.push(`${file}: say what the file is for`)
  const targets: string[] = []
  for (const { path, isType, names } of imports(text)) {
    const named = relative(root, resolve(root, dirname(file), path))
    const target = existsSync(join(root, named)) ? named : named.replace(/\.js$/, '.ts')
    imported.set(target, new Set([...(imported.get(target) ?? []), ...names]))
    if (!isType) targets.push(target)
    if (!mayImport(roomOf(file), target, isType)) problems.push(`${file}: may not import ${target}`)
  }
  graph.set(file, targets)
  const declared = text.matchAll(/^export (?:async )?(?:function\*?|const|let|type|class) (\w+)/gm)
  if (!file.startsWith('test/')) exported.push(...[...declared].map(([, name]) => ({ file, name: name! })))
  const isBarrel = /^export (type )?(\*|\{[^}]*\}( from|;?$))/m.test(text) && !mayReExport.includes(file)
  if (isBarrel) problems.push(`${file}: re-exports; import from where a thing is`)
}
problems.push(...cycles())
for (const { file, name } of exported) {
  const taken = imported.get(file)
  const isIdle = !taken?.has(name) && !taken?.has('*') && !entries.includes(file)
  if (isIdle) problems.push(`${file}: exports ${name}, which no other file imports`)
}

for (const problem of problems) console.error(problem)
console.log(`${graph.size} files checked, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))
}

type Import = { path: string; isType: boolean; names: string[] }

/** What a file imports and re-exports of others of ours. */
function* imports(text: string): Generator<Import> {
  const pattern =
    /^(?:import|export)\s+(type\s+)?(?:(?:\w+\s*,?\s*)?(\*(?:\s+as\s+\w+)?|\{[^}]*\})?\s*from\s+)?['"](\.[^'"]+)['"]/gm
  for (const [, type, clause = '', path] of text.matchAll(pattern)) {
    const listed = /^\{([^}]*)\}$/
      .exec(clause)?.[1]
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean)
    const isType = type !== undefined || (listed?.every((name) => name.startsWith('type ')) ?? false)
    const names = listed?.map((name) => /^(?:type\s+)?(\w+)/.exec(name)![1]!)
    yield { path: path!, isType, names: names ?? (clause ? ['*'] : []) }
  }
  // Of a type such as `import('./chain.js').Chain` one name is meant, else it may be any.
  for (const [, path, name = '*'] of text.matchAll(/import\(['"](\.[^'"]+)['"]\)(?:\.(?!then\b)(\w+))?/g)) {
    yield { path: path!, isType: true, names: [name] }
  }
}

function roomOf(file: string): string {
  const rooms = Object.keys(allowed).sort((a, b) => b.length - a.length)
  return rooms.find((room) => file.startsWith(`${room}/`))!
}

function mayImport(room: string, target: string, isType: boolean): boolean {
  if (roomOf(target) === room) return true
  return allowed[room]!.some((entry) => {
    const typeOnly = entry.startsWith('type:')
    const place = entry.replace('type:', '')
    return (target === place || target.startsWith(`${place}/`)) && (!typeOnly || isType)
  })
}

function cycles(): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const walk = (file: string, path: string[]): void => {
    if (path.includes(file)) found.push(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`)
    if (done.has(file) || path.includes(file)) return
    for (const target of graph.get(file) ?? []) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  return found
}
