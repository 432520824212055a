import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const executable = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** A browser that asks for nothing by itself. */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executable)) {
    throw new Error(
      `The browser tests need Chromium at ${executable}. Install it (Debian: apt-get install chromium), or name another one by CHROMIUM_PATH.`,
    )
  }
  return chromium.launch({
    executablePath: executable,
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
}

export type Visit = {
  page: Page
  /** Whatever the page wrote to the console as an error, and what it threw. */
  complaints: string[]
  /** What it tried to load from anywhere but the allowed origins; all of it was blocked. */
  strayRequests: string[]
  close(): Promise<void>
}

/** A page that reaches the given origins and nothing else. */
export async function openPage(
  browser: Browser,
  origins: string[],
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext(options)
  const complaints: string[] = []
  const strayRequests: string[] = []
  await context.route(
    (url) => !origins.includes(url.origin),
    (route) => {
      strayRequests.push(route.request().url())
      return route.abort()
    },
  )
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { page, complaints, strayRequests, close: () => context.close() }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type AxeResult = { violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] }

/** What axe finds wrong by WCAG 2.2, levels A and AA, and by its own best practices if asked; each with its place. */
export async function accessibilityProblems(page: Page, options: { include?: string; exclude?: string[] } = {}) {
  // Not by a script element, which a page's policy would refuse.
  await page.evaluate(axeSource)
  const result = await page.evaluate(async ({ include, exclude }) => {
    const { axe } = window as unknown as { axe: { run(context: object, options: object): Promise<AxeResult> } }
    return axe.run(
      { include: [include ?? 'html'], exclude: (exclude ?? []).map((selector) => [selector]) },
      { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
    )
  }, options)
  return result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ''}`),
  )
}
