import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Handlers } from '../handlerTypes.js'
import { prepareOnce } from '../replies/prepared.js'
import type { Spec } from '../spec.js'
import type { StaticFiles } from '../staticFiles.js'

/** Where the page loads its scripts from: this service, and nowhere else. */
const scriptPath = '/docs/scalar.js'
const startPath = '/docs/start.js'

/** Our own files of the page: the script that starts Scalar, and the pictures of the introduction. */
const folder = new URL('../../docs/', import.meta.url)
const pictures = ['action', 'flow', 'on-demand']

/**
 * Scalar puts its styles in by script, hence `unsafe-inline` for them. Scripts, data and fonts come from here alone;
 * the page may try the operations out, on this service only.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Cross-chain intent execution service</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The document itself is at <a href="/openapi.yaml">/openapi.yaml</a>.</noscript>
    <script src="${scriptPath}"></script>
    <script type="module" src="${startPath}"></script>
  </body>
</html>
`

type DocsHandlers = Pick<Handlers, 'getOpenapiYaml' | 'getOpenapiJson' | 'getDocs'>

/** The operations of the tag Documentation. */
export function createDocsHandlers(spec: Spec): DocsHandlers {
  const document = spec.document as { openapi: string; info: Record<string, unknown>; paths: Record<string, unknown> }
  const yaml = prepareOnce(() => Buffer.from(spec.text))
  const json = prepareOnce(() => Buffer.from(JSON.stringify(document)))
  return {
    getOpenapiYaml: async () => ({ status: 200, body: spec.text, prepared: await yaml() }),
    getOpenapiJson: async () => ({ status: 200, body: document, prepared: await json() }),
    getDocs: async () => ({
      status: 200,
      headers: { 'Content-Security-Policy': contentSecurityPolicy },
      body: page,
    }),
  }
}

/** The files that the page loads, by path. Scalar's script is 3 MB. */
export const docsFiles: StaticFiles = {
  [scriptPath]: { type: 'text/javascript', read: async () => readFile(scalarScript()) },
  [startPath]: { type: 'text/javascript', read: () => readFile(new URL('start.js', folder)) },
  ...Object.fromEntries(
    pictures.map((name) => [
      `/docs/${name}.svg`,
      { type: 'image/svg+xml', read: () => readFile(new URL(`${name}.svg`, folder)) },
    ]),
  ),
}

function scalarScript(): string {
  const main = createRequire(import.meta.url).resolve('@scalar/api-reference')
  return join(dirname(main), 'browser', 'standalone.js')
}
