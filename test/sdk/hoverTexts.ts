import ts from 'typescript'

/**
 * What an editor shows over each member of the variables that a file exports: the documentation that TypeScript finds
 * for it. White space is folded.
 */
export function hoverTexts(file: string): Map<string, Map<string, string>> {
  const program = ts.createProgram([file], {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: [],
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)!
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)
  const textOf = (member: ts.Symbol) =>
    ts.displayPartsToString(member.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ')
  return new Map(
    exported.map((variable) => {
      const members = checker.getTypeOfSymbolAtLocation(variable, source).getProperties()
      return [variable.name, new Map(members.map((member) => [member.name, textOf(member)]))]
    }),
  )
}
