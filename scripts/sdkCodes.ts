/**
 * Writes the table of error codes in the SDK's README from the spec. Usage: tsx scripts/sdkCodes.ts (part of
 * `npm run generate`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
export const readmePath = join(root, 'sdk', 'README.md')
export const codesBlock = /<!-- codes -->[^]*<!-- \/codes -->/

type CodeSchema = { enum: string[]; 'x-enumDescriptions': Record<string, string> }

const tables: [schema: string, title: string][] = [
  ['ErrorCode', 'Codes of `IntentApiError`'],
  ['IssueCode', 'Codes of its `issues`, and its own `code` when all issues have the same'],
  ['StepErrorCode', 'Codes of `StepFailedError`: `error.step.error.code`'],
]

/** Every code of the spec with its cause and its remedy, as Markdown. */
export async function codesMarkdown(): Promise<string> {
  const { components } = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8')) as {
    components: { schemas: Record<string, CodeSchema> }
  }
  const parts = tables.map(([name, title]) => {
    const schema = components.schemas[name]!
    const rows = schema.enum.map((code) => {
      const text = schema['x-enumDescriptions'][code] ?? ''
      // The first sentence is the cause. A broken rule of a body has one remedy.
      const [cause, ...rest] = text.split(/(?<=\.) (?=[A-Z`])/)
      const remedy = rest.join(' ') || (name === 'IssueCode' ? 'Correct what `path` names.' : '')
      return `| \`${code}\` | ${cause} | ${remedy} |`
    })
    return `### ${title}\n\n| Code | Cause | Remedy |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  const markdown = await format(parts.join('\n'), { parser: 'markdown', printWidth: 120 })
  return `<!-- codes -->\n\n${markdown}\n<!-- /codes -->`
}

if (process.argv[1] === import.meta.filename) {
  const readme = readFileSync(readmePath, 'utf8')
  const codes = await codesMarkdown()
  writeFileSync(
    readmePath,
    readme.replace(codesBlock, () => codes),
  )
}
