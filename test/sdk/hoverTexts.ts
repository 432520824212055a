import { existsSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/**
 * What an editor shows over each member of a variable: the documentation that TypeScript's language service gives for
 * `name.member` at the end of the file. White space is folded.
 */
export function hoverTexts(file: string, name: string): Map<string, string> {
  const source = readFileSync(file, 'utf8')
  const { service, write } = serviceFor(file)
  const asked = `${source}\n${name}.`
  write(asked)
  const members = service.getCompletionsAtPosition(file, asked.length, undefined)!.entries.map((entry) => entry.name)
  const uses = members.map((member) => `${name}.${member}`)
  write(`${source}\n${uses.join('\n')}\n`)
  let position = source.length + 1
  return new Map(
    members.map((member, index) => {
      const info = service.getQuickInfoAtPosition(file, position + name.length + 2)
      position += uses[index]!.length + 1
      return [member, ts.displayPartsToString(info?.documentation).replaceAll(/\s+/g, ' ')]
    }),
  )
}

function serviceFor(file: string) {
  let text = ''
  let version = 0
  const read = (path: string) => (path === file ? text : ts.sys.readFile(path))
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.Node16,
      moduleResolution: ts.ModuleResolutionKind.Node16,
      types: [],
    }),
    getScriptFileNames: () => [file],
    getScriptVersion: (path) => (path === file ? String(version) : '0'),
    getScriptSnapshot: (path) => {
      const content = read(path)
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
    },
    getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: existsSync,
    readFile: read,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  }
  return {
    service: ts.createLanguageService(host),
    write(next: string): void {
      text = next
      version++
    },
  }
}
