import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { createDocsHandlers } from '../../server/api/handlers/docs.js'
import { loadSpec } from '../../server/api/spec.js'
import { accessibilityProblems, launchBrowser, openPage, type Visit } from '../support/browser.js'
import { type HttpLayer, startHttpLayer } from '../support/httpLayer.js'
import { until } from '../support/until.js'

describe('the reference, in a browser', function () {
  // It is a large page, which a busy machine needs a while to draw.
  this.timeout(180_000)
  let layer: HttpLayer
  let browser: Browser
  let visit: Visit

  before(async () => {
    layer = await startHttpLayer(createDocsHandlers(await loadSpec()))
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await layer?.stop()
  })
  afterEach(async () => {
    const { complaints, strayRequests, close } = visit
    await close()
    expect(strayRequests, 'requests to elsewhere').to.deep.equal([])
    expect(complaints, 'console').to.deep.equal([])
  })

  async function open(options: Parameters<typeof openPage>[2] = {}) {
    visit = await openPage(browser, [layer.url], options)
    visit.page.setDefaultTimeout(120_000)
    await visit.page.goto(`${layer.url}/docs`)
    await visit.page.getByRole('heading', { name: 'What an action is' }).first().waitFor()
    return visit.page
  }

  it('shows the guides with their pictures and every tag, without any network', async () => {
    const page = await open()
    for (const picture of await page.locator('.introduction-description img').all()) {
      await picture.scrollIntoViewIfNeeded()
      await until(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth > 0), 'a picture', 60_000)
    }
    expect(await page.locator('.introduction-description img').count()).to.equal(3)
    expect(await page.locator('.introduction-description table').count()).to.be.greaterThan(5)
    const sidebar = page.getByRole('navigation').first()
    for (const tag of ['Actions', 'Steps', 'Deposits', 'Airdrops', 'Chains', 'Legacy']) {
      expect(await sidebar.getByText(tag, { exact: true }).count(), tag).to.be.greaterThan(0)
    }
  })

  it('leads from a guide to another part by a link', async () => {
    const page = await open()
    await page.locator('.introduction-description a', { hasText: 'Signing' }).first().click()
    const heading = page.getByRole('heading', { name: 'Signing', exact: true }).first()
    await until(
      () => heading.evaluate((element) => Math.abs(element.getBoundingClientRect().top) < innerHeight),
      'the part on signing in view',
      60_000,
    )
  })

  for (const [place, options] of [
    ['on a desk in light colours', { colorScheme: 'light' }],
    ['on a phone in dark colours', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
  ] as const) {
    it(`can be used by everyone ${place}`, async () => {
      const page = await open(options)
      // Each part is drawn when it comes near; the first ones are enough to judge them all.
      await until(
        async () => (await accessibilityProblems(page)).length === 0,
        'a page without barriers',
        60_000,
      ).catch(async () => expect(await accessibilityProblems(page)).to.deep.equal([]))
      const overhang = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overhang).to.equal(0)
    })
  }
})
