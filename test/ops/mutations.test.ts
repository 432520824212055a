import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import ts from 'typescript'
import { allMutations } from '../../scripts/mutations/allMutations.js'
import type { Mutation } from '../../scripts/mutations/mutation.js'

const root = resolve(import.meta.dirname, '../..')

/** The mutations themselves run for long and apart; one that fits no source any more would be found out late. */
describe('the mutations', () => {
  it('each find the safeguard that they switch off, once', () => {
    for (const { name, changes } of allMutations) {
      for (const { file, find } of changes) {
        const source = readFileSync(join(root, file), 'utf8')
        expect(source.split(find), `${name}, in ${file}`).to.have.length(2)
      }
    }
  })

  it('leave code that has its types right, so that what is noticed is the safeguard', function () {
    this.timeout(180_000)
    const inTypeScript = ({ changes }: Mutation) => changes.every(({ file }) => file.endsWith('.ts'))
    const ours = allMutations.filter(inTypeScript)
    expect(ours.length).to.be.greaterThan(5)
    const typeErrors = createTypeCheck()
    for (const mutated of combined(ours)) expect(typeErrors(mutated)).to.deep.equal([])
  })
})

type Sources = Map<string, string>

/** As many of them at once as don't get in each other's way: the changed files by their paths. */
function combined(all: readonly Mutation[]): Sources[] {
  const groups: Sources[] = []
  for (const { changes } of all) {
    const fits = groups.map((group) => applied(group, changes)).findIndex((result) => result !== null)
    const group = groups[fits] ?? new Map<string, string>()
    if (fits < 0) groups.push(group)
    for (const [path, text] of applied(group, changes)!) group.set(path, text)
  }
  return groups
}

/** Null: they don't fit what is there. */
function applied(given: Sources, changes: Mutation['changes']): Sources | null {
  const sources = new Map(given)
  for (const { file, find, replace } of changes) {
    const path = join(root, file)
    const parts = (sources.get(path) ?? readFileSync(path, 'utf8')).split(find)
    if (parts.length !== 2) return null
    sources.set(path, parts.join(replace))
  }
  return sources
}

/** What no mutation changes is read once for all of them: most of it is the types of others. */
function createTypeCheck(): (mutated: Sources) => string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object }
  }
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.compilerOptions, noUnusedLocals: false, noUnusedParameters: false },
    root,
  )
  const host = ts.createCompilerHost(options)
  const unchanged = new Map<string, ts.SourceFile | undefined>()
  const asItIs = host.getSourceFile.bind(host)

  return (mutated) => {
    host.getSourceFile = (path, language) => {
      const text = mutated.get(path)
      if (text !== undefined) return ts.createSourceFile(path, text, language)
      if (!unchanged.has(path)) unchanged.set(path, asItIs(path, language))
      return unchanged.get(path)
    }
    const program = ts.createProgram([...mutated.keys()], options, host)
    return [...mutated.keys()]
      .map((path) => program.getSourceFile(path))
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
  }
}
