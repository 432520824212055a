import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { build } from 'tsdown'
import { type Address, parseUnits } from 'viem'
import { accessibilityProblems, launchBrowser, openPage } from '../support/browser.js'
import { startTestService, type TestService } from '../support/service.js'
import { balanceOf, tokenOf } from '../support/wallets.js'

describe('the SDK’s browser example', function () {
  this.timeout(180_000)
  let service: TestService
  let browser: Browser
  let site: { url: string; stop(): Promise<void> }

  before(async () => {
    ;[service, site] = await Promise.all([startTestService(), serveExample()])
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await site?.stop()
    await service?.stop()
  })

  it('signs with a test wallet in the page and carries an action out on both chains', async () => {
    const [a, b] = service.chains
    const origins = [site.url, service.url, ...service.chains.map((chain) => new URL(chain.publicRpcUrl!).origin)]
    const { page, complaints, strayRequests, close } = await openPage(browser, origins)
    page.setDefaultTimeout(60_000)
    await page.goto(`${site.url}/?service=${encodeURIComponent(service.url)}`)
    await page.getByText('It has got 1000 USD').waitFor()
    const user = (await page.locator('#address').innerText()) as Address
    await page.getByLabel('USD to move').fill('12.5')
    await page.getByRole('button', { name: 'Sign and send' }).click()
    await page.getByText('The action is success: 12.5 USD').waitFor()
    expect(await balanceOf(a, tokenOf(a, 'usd').address, user)).to.equal(parseUnits('987.5', 6))
    expect(await balanceOf(b, tokenOf(b, 'usd').address, user)).to.equal(parseUnits('12.5', 18))
    expect(await page.locator('#progress').innerText()).to.contain('Step 2: success')
    expect(await accessibilityProblems(page)).to.deep.equal([])

    await page.getByRole('link', { name: 'watch it in the explorer' }).click()
    await page.getByRole('heading', { name: 'Intent 0', exact: true }).waitFor()
    expect(await page.locator('.title .badge').first().innerText()).to.equal('Success')
    expect(strayRequests).to.deep.equal([])
    expect(complaints).to.deep.equal([])
    await close()
  })
})

/** Builds the page as its comment says, but into a directory of this test's own, and serves it. */
async function serveExample() {
  const outDir = mkdtempSync(join(tmpdir(), 'example-'))
  await build({ config: 'sdk/examples/browser/tsdown.config.ts', outDir, logLevel: 'silent' })
  const types: Record<string, string> = { 'index.html': 'text/html', 'app.js': 'text/javascript' }
  const server: Server = createServer((request, response) => {
    const name = new URL(request.url!, 'http://localhost').pathname.slice(1) || 'index.html'
    const type = types[name]
    if (!type) return void response.writeHead(404).end()
    void readFile(join(outDir, name)).then((content) =>
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(outDir, { recursive: true, force: true })
    },
  }
}
