import { readFile, writeFile } from 'node:fs/promises'
import { load } from 'js-yaml'

const header = ['// This file is generated from openapi.yaml by scripts/generate.ts', '']

/**
 * openapi.yaml -> the map of operations that types the handlers, and the operations that the SDK calls. The wire types
 * of both come from `openapi-ts` (see openapi-ts.config.ts), which `npm run generate` runs first. The output depends on
 * the document alone: running it again changes nothing.
 */
const spec = load(await readFile('openapi.yaml', 'utf8')) as Document
await writeFile('server/api/generated/operations.gen.ts', serverSource(spec))
await writeFile('sdk/src/generated/operations.gen.ts', sdkSource(spec))

type Content = Record<string, unknown>
type Operation = {
  operationId: string
  summary: string
  responses: Record<string, { $ref?: string; content?: Content }>
}
type Document = {
  paths: Record<string, Record<string, unknown>>
  components: { responses: Record<string, { content?: Content }> }
}

function operationsOf(document: Document): { route: string; operation: Operation }[] {
  const methods = ['get', 'put', 'post', 'delete', 'patch']
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => method in item)
      .map((method) => ({ route: `${method.toUpperCase()} ${path}`, operation: item[method] as Operation })),
  )
}

/** One constant each, so that a bundle holds only those that are called. */
function sdkSource(document: Document): string {
  return [
    ...header,
    "import type * as wire from './types.gen.js'",
    '',
    '/** An operation is its method and path; its type also holds what it takes and what it answers. */',
    'export type Operation<Data, Reply> = string & { readonly takes?: Data; readonly answers?: Reply }',
    ...operationsOf(document).flatMap(({ route, operation: { operationId, summary } }) => [
      '',
      `/** ${summary} */`,
      `export const ${operationId} = '${route}' as Operation<`,
      `  wire.${pascal(operationId)}Data,`,
      `  wire.${pascal(operationId)}Response`,
      '>',
    ]),
    '',
  ].join('\n')
}

function serverSource(document: Document): string {
  const operations = operationsOf(document)
  return [
    ...header,
    "import type * as wire from './types.gen.js'",
    '',
    '/** What each operation takes, and its replies by status. `stream` marks the events of an event stream. */',
    'export type Operations = {',
    ...operations.flatMap(({ route, operation }) => [
      `  /** ${route} */`,
      `  ${operation.operationId}: {`,
      `    request: wire.${pascal(operation.operationId)}Data`,
      '    replies: {',
      ...Object.keys(operation.responses).flatMap((status) => reply(document, operation, status)),
      '    }',
      '  }',
    ]),
    '}',
    '',
    'export const operationIds = [',
    ...operations.map(({ operation }) => `  '${operation.operationId}',`),
    '] as const satisfies readonly (keyof Operations)[]',
    '',
  ].join('\n')
}

function reply(document: Document, operation: Operation, status: string): string[] {
  // The router answers 304 by itself, from the ETag.
  if (status === '304') return []
  const group = status < '400' ? 'Responses' : 'Errors'
  const type = `wire.${pascal(operation.operationId)}${group}[${status}]`
  return [
    `      ${status}: ${'text/event-stream' in content(document, operation, status) ? `{ stream: ${type} }` : type}`,
  ]
}

function content(document: Document, operation: Operation, status: string): Content {
  const response = operation.responses[status]
  const name = response?.$ref?.replace('#/components/responses/', '')
  return (name === undefined ? response : document.components.responses[name])?.content ?? {}
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
