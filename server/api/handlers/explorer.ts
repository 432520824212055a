import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Handlers } from '../handlerTypes.js'
import type { StaticFiles } from '../staticFiles.js'

/** The page's sources: plain modules and a style sheet that the browser takes as they are. */
const folder = new URL('../../explorer/', import.meta.url)
const modules = [
  'main',
  'searchView',
  'actionView',
  'stepView',
  'creditView',
  'money',
  'followAction',
  'api',
  'format',
  'dom',
]

/** Nothing is loaded from elsewhere, the page has no inline scripts or styles, and no text becomes markup. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

type ExplorerHandlers = Pick<Handlers, 'getExplorer' | 'getExplorerAction'>

/** The explorer's two addresses answer the same page; its script reads the address and asks the public API. */
export function createExplorerHandlers(): ExplorerHandlers {
  const body = readFileSync(new URL('page.html', folder), 'utf8')
  const reply = async () => ({
    status: 200 as const,
    headers: { 'Content-Security-Policy': contentSecurityPolicy },
    body,
  })
  return { getExplorer: reply, getExplorerAction: reply }
}

/** The files that the page loads, by path. */
export const explorerFiles: StaticFiles = {
  '/explorer/files/base.css': file('base.css', 'text/css'),
  '/explorer/files/content.css': file('content.css', 'text/css'),
  ...Object.fromEntries(
    modules.map((name) => [`/explorer/files/${name}.js`, file(`${name}.js`, 'text/javascript')] as const),
  ),
}

function file(name: string, type: string): StaticFiles[string] {
  return { type, read: () => readFile(new URL(name, folder)) }
}
