/**
 * Writes the tables of error codes in the SDK's README from the spec. Usage: tsx scripts/generate/sdkCodes.ts (part of
 * `npm run generate`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { load } from 'js-yaml'

const root = join(import.meta.dirname, '../..')
export const readmePath = join(root, 'sdk', 'README.md')
export const codesBlock = /<!-- codes -->[^]*<!-- \/codes -->/

type CodeSchema = { 'x-enumDescriptions': Record<string, string> }

/** Codes that are keywords of JSON Schema. */
export const keywords = /^(type|required|pattern|format|enum|const|(min|max)(Length|Items|imum))$/

/** Every code of the spec with its cause and its remedy, as Markdown. */
export async function codesMarkdown(): Promise<string> {
  const { components } = load(readFileSync(join(root, 'openapi.yaml'), 'utf8')) as {
    components: { schemas: Record<string, CodeSchema> }
  }
  const textsOf = (schema: string) => Object.entries(components.schemas[schema]!['x-enumDescriptions'])
  const [errors, issues, steps] = ['ErrorCode', 'IssueCode', 'StepErrorCode'].map(textsOf)
  const known = new Set(errors!.map(([code]) => code))
  const list = (codes: string[]) => codes.map((code) => `\`${code}\``).join(', ')
  const codesOf = (wanted: (code: string) => boolean) => issues!.map(([code]) => code).filter(wanted)
  const parts = [
    '### Codes of `IntentApiError`',
    table(['Code', 'Cause', 'Remedy'], errors!.map(inCauseAndRemedy)),
    '### Codes of its `issues`',
    'Each issue names by `path` what to correct, and says in `message` what is wrong with it. When all that ' +
      '`POST /actions` refuses have one code, it is the code of the error too; else that is `validation_failed`.',
    `What breaks the schema has the keyword of JSON Schema: ${list(codesOf((code) => keywords.test(code)))}. ` +
      `As above: ${list(codesOf((code) => known.has(code)))}. And:`,
    table(
      ['Code', 'Cause', 'Remedy'],
      issues!.filter(([code]) => !keywords.test(code) && !known.has(code)).map(inCauseAndRemedy),
    ),
    '### Codes of `StepFailedError`: `error.step.error.code`',
    table(['Code', 'Cause', 'Remedy'], steps!.map(inCauseAndRemedy)),
  ]
  const markdown = await format(parts.join('\n\n'), { parser: 'markdown', printWidth: 120, proseWrap: 'always' })
  return `<!-- codes -->\n\n${markdown}\n<!-- /codes -->`
}

/** The first sentence is the cause. */
export function inCauseAndRemedy([code, text]: [string, string]): string[] {
  const [cause, ...rest] = text.split(/(?<=\.) (?=[A-Z`])/)
  return [`\`${code}\``, cause!, rest.join(' ')]
}

export function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Puts a generated part of the SDK's README, with its marks, in the place of the old one. */
export function writeReadmePart(part: RegExp, markdown: string): void {
  writeFileSync(
    readmePath,
    readFileSync(readmePath, 'utf8').replace(part, () => markdown),
  )
}

if (process.argv[1] === import.meta.filename) writeReadmePart(codesBlock, await codesMarkdown())
