/**
 * Writes what the spec says of each operation into the comment of the SDK's method for it, where editors show it. What
 * is said of the method itself stands behind the first empty line of the comment and is left alone. Usage: tsx
 * scripts/generate/sdkDocs.ts (part of `npm run generate`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'

const root = join(import.meta.dirname, '../..')
export const clientPath = join(root, 'sdk', 'src', 'client.ts')

/** The client's methods that are one operation each. */
export const operationOf = {
  createAction: 'createAction',
  listActions: 'listActions',
  getAction: 'getAction',
  getIntent: 'getIntent',
  getStep: 'getStep',
  executeStep: 'executeStep',
  recordVenueTxHash: 'recordVenueTxHash',
  findVenueTxHashes: 'queryVenueTxHashes',
  verifyVenueTxHash: 'verifyVenueTxHash',
  recordDeposit: 'recordDeposit',
  getBalances: 'getBalances',
  requestAirdrop: 'requestAirdrop',
  getChains: 'listChains',
  getHealth: 'getHealth',
  submitTransaction: 'submitTransaction',
  getTransactionStepStatus: 'getLegacyStepStatus',
} as const

type Operation = { operationId: string; summary: string; description: string; deprecated?: boolean }

/** Every operation of the spec, with its route. */
export function readOperations(): (Operation & { route: string })[] {
  const { paths } = load(readFileSync(join(root, 'openapi.yaml'), 'utf8')) as {
    paths: Record<string, Record<string, Partial<Operation>>>
  }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation.operationId ? [{ ...(operation as Operation), route: `${method.toUpperCase()} ${path}` }] : [],
    ),
  )
}

/** By operation: its summary, and the first paragraph of its description, as one line. */
export function operationTexts(): Map<string, string> {
  return new Map(
    readOperations().map(({ operationId, summary, description }) => {
      const [paragraph] = description.split('\n\n')
      return [operationId, `${summary}. ${paragraph!.trim().replaceAll(/\s+/g, ' ')}`]
    }),
  )
}

function withDocs(source: string): string {
  const texts = operationTexts()
  return Object.entries(operationOf).reduce((client, [method, operation]) => {
    const comment = new RegExp(`    /\\*\\*(?:(?!\\*/)[^])*\\*/\\n(?=    (?:async )?${method}[(:])`)
    const found = comment.exec(client)?.[0]
    if (!found) throw new Error(`The client has no comment on ${method}`)
    const own = found
      .replace(/^ *\/\*\*|\*\/\n$/g, '')
      .split(/^ *\*[ ]*$/m)
      .slice(1)
      .map((paragraph) => paragraph.replaceAll(/^ *\* ?/gm, '').trim())
    const paragraphs = [texts.get(operation)!, ...own].map((paragraph) => wrap(paragraph).join('\n'))
    const lines = paragraphs.join('\n\n').split('\n')
    const block = ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */'].map((line) => `    ${line}\n`)
    return client.replace(found, () => block.join(''))
  }, source)
}

/** A paragraph in lines of the length that the code has. */
function wrap(paragraph: string): string[] {
  const lines: string[] = ['']
  for (const word of paragraph.split(/\s+/)) {
    const last = lines.at(-1)!
    if (last && last.length + word.length > 111) lines.push(word)
    else lines[lines.length - 1] = last ? `${last} ${word}` : word
  }
  return lines
}

if (process.argv[1] === import.meta.filename) writeFileSync(clientPath, withDocs(readFileSync(clientPath, 'utf8')))
