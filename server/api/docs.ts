import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Handlers } from './handlers.js'
import type { Spec } from './spec.js'
import type { StaticFiles } from './staticFiles.js'

/** Where the page finds what it is made of; all of it is ours. */
const scriptPath = '/docs/scalar.js'
const startPath = '/docs/start.js'

/**
 * Scalar puts its styles in by script, hence `unsafe-inline` for them. Scripts, data and fonts come from here alone; the
 * page may try the operations out, on this service only.
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
    <script src="${startPath}"></script>
  </body>
</html>
`

const start = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
})
`

type DocsHandlers = Pick<Handlers, 'getOpenapiYaml' | 'getOpenapiJson' | 'getDocs'>

/** The operations of the tag Documentation. */
export function createDocsHandlers(spec: Spec): DocsHandlers {
  const document = spec.document as { openapi: string; info: Record<string, unknown>; paths: Record<string, unknown> }
  return {
    getOpenapiYaml: async () => ({ status: 200, body: spec.text }),
    getOpenapiJson: async () => ({ status: 200, body: document }),
    getDocs: async () => ({
      status: 200,
      headers: { 'Content-Security-Policy': contentSecurityPolicy },
      body: page,
    }),
  }
}

/** The page's scripts. Scalar's is 3 MB. */
export const docsFiles: StaticFiles = {
  [scriptPath]: { type: 'text/javascript', read: () => readFile(scalarScript()) },
  [startPath]: { type: 'text/javascript', read: async () => Buffer.from(start) },
}

function scalarScript(): string {
  const main = createRequire(import.meta.url).resolve('@scalar/api-reference')
  return join(dirname(main), 'browser', 'standalone.js')
}
