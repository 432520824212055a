import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { type Address, createTestClient, encodeErrorResult, type Hex, http, parseAbi, parseUnits } from 'viem'
import { accessibilityProblems, launchBrowser, openPage, type Visit } from '../support/browser.js'
import { createApi, type Api } from '../support/api.js'
import { startTestService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'
import {
  authorization,
  fund,
  newUser,
  onDemandIntent,
  sendFrom,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

const phone = { viewport: { width: 390, height: 844 } }

describe('the explorer, in a browser', () => {
  let service: TestService
  let api: Api
  let browser: Browser
  let visit: Visit

  before(async () => {
    service = await startTestService()
    api = createApi(service.url)
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })
  afterEach(async () => {
    const { complaints, strayRequests, close } = visit
    await close()
    expect(strayRequests, 'requests to elsewhere').to.deep.equal([])
    expect(complaints, 'console').to.deep.equal([])
  })

  async function open(path: string, options: Parameters<typeof openPage>[2] = {}) {
    visit = await openPage(browser, [service.url], options)
    await visit.page.goto(service.url + path)
    await visit.page.waitForSelector('main h1')
    return visit.page
  }

  const textOf = (selector: string) => visit.page.locator(selector).first().innerText()

  /** Two steps: 25 USD from the user to the vault on A, 20 USD from the solver to him on B. */
  async function anAction() {
    const [a, b] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: parseUnits('25', 6) })
    const [usdA, usdB] = [tokenOf(a, 'usd').address, tokenOf(b, 'usd').address]
    const pays = { from: user.address, to: a.vault, token: usdA, amount: parseUnits('25', 6) }
    const gets = { from: 'solver' as const, to: user.address, token: usdB, amount: parseUnits('20', 18) }
    const call = { to: usdA, value: 0n, data: transferData(a.vault, pays.amount) }
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [await authorization(user, a)],
      intents: [
        await signedIntent(user, [
          { chainId: a.chainId, tokenTransfers: [pays], calls: [call] },
          { chainId: b.chainId, tokenTransfers: [gets], calls: [] },
        ]),
      ],
    })
    return { user, actionId: created.body.actionId as string }
  }

  it('shows an action as it moves, without a reload', async () => {
    const { user, actionId } = await anAction()
    const page = await open(`/explorer/${actionId}`)
    expect(await textOf('.title .badge')).to.equal('Created')
    expect(await textOf('.money')).to.match(/25 USD on Local chain A\s+expected[^]*20 USD on Local chain B\s+expected/)
    await until(async () => (await textOf('.connection')) === 'Live', 'the event stream')

    const first = await api.execute(actionId, 0, 0)
    await page.getByText('Executing').first().waitFor()
    await until(async () => (await textOf('.step')).includes('Success'), 'the first step on the page')
    expect(await textOf('.step'))
      .to.contain(first.body.transactionHash.slice(0, 8))
      .and.contain('1 of 1')
    expect(await textOf('#announcer')).to.contain('Intent 0 · step 0 on Local chain A')

    await api.execute(actionId, 0, 1)
    await until(async () => (await textOf('.title .badge')) === 'Success', 'the end of the action on the page')
    expect(await textOf('.money')).to.match(/25 USD on Local chain A\s+moved[^]*20 USD on Local chain B\s+moved/)
    await until(async () => (await textOf('.connection')) === 'Finished', 'the end of the stream')
    expect(await page.title()).to.match(/^Success · Action/)
    await page.getByText(/^History/).click()
    expect(await textOf('.history')).to.contain('Intent 0 · step 1 on Local chain B: success')
    expect(await page.getByRole('link', { name: user.address.slice(0, 8) }).getAttribute('href')).to.contain(
      user.address,
    )
  })

  it('asks for no connection in a tab that is opened in the background, of which there are few, until it is looked at', async () => {
    const { actionId } = await anAction()
    const page = await open('/explorer')
    await page.addInitScript("Object.defineProperty(document, 'hidden', { value: true, writable: true })")
    const streams: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) streams.push(request.url())
    })
    await page.goto(`${service.url}/explorer/${actionId}`)
    await page.getByRole('heading', { name: 'Intent 0', exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(streams).to.deep.equal([])

    await page.evaluate(() => {
      Object.assign(document, { hidden: false })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await until(async () => (await textOf('.connection')) === 'Live', 'the event stream')
    expect(streams).to.have.length(1)
  })

  it('finds actions by the user’s address, a transaction hash and an action id', async () => {
    const { user, actionId } = await anAction()
    const step = await api.execute(actionId, 0, 0)
    const page = await open('/explorer')
    expect(await textOf('h1')).to.equal('Latest actions')
    const search = async (text: string) => {
      await page.getByRole('searchbox').fill(text)
      await page.getByRole('button', { name: 'Search' }).click()
    }
    await search(user.address.toLowerCase())
    await page.getByRole('heading', { name: 'Actions of a user' }).waitFor()
    expect(await textOf('.results')).to.contain(actionId)
    expect(await textOf('.panel')).to.contain('25 USD on Local chain A')

    await search(` ${step.body.transactionHash.toUpperCase()} `)
    await page.getByRole('heading', { name: 'Actions with a transaction' }).waitFor()
    await page.locator('.result').click()
    await page.waitForURL(`**/explorer/${actionId}`)
    await page.getByRole('heading', { name: 'Intent 0', exact: true }).waitFor()

    await search(`${actionId}/0`)
    await page.waitForURL(`**/explorer/${actionId}`)

    await search(`0x${'7'.repeat(64)}`)
    await page.getByText('There are no such actions.').waitFor()
    await search('something else')
    await page.getByText('This is none of the three').waitFor()
  })

  it('turns older pages of a user with many actions', async () => {
    const [a] = service.chains
    const user = newUser()
    const transfer = { from: user.address, to: a.vault, token: tokenOf(a, 'usd').address, amount: 1n }
    const intents = [onDemandIntent([{ chainId: a.chainId, tokenTransfers: [transfer] }])]
    for (let index = 0; index < 21; index++) await api.post('/actions', { user: user.address, intents })
    const page = await open(`/explorer?q=${user.address}`)
    expect(await page.locator('.result').count()).to.equal(20)
    await page.getByRole('link', { name: 'Older actions' }).click()
    await until(async () => (await page.locator('.result').count()) === 1, 'the last page')
    expect(await page.getByRole('link', { name: 'Older actions' }).count()).to.equal(0)
  })

  it('tells where the user’s money is after a failure, and how he gets it back', async () => {
    const [a, b] = service.chains
    const user = newUser()
    await fund(a, user.address, { usd: parseUnits('25', 6) })
    const [usdA, usdB] = [tokenOf(a, 'usd').address, tokenOf(b, 'usd').address]
    const pays = { from: user.address, to: a.vault, token: usdA, amount: parseUnits('25', 6) }
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [await authorization(user, a), await authorization(user, b)],
      intents: [
        await signedIntent(user, [
          {
            chainId: a.chainId,
            tokenTransfers: [pays],
            calls: [{ to: usdA, value: 0n, data: transferData(a.vault, pays.amount) }],
          },
          // He has no dollars there to send on, so that this fails.
          { chainId: b.chainId, tokenTransfers: [], calls: [{ to: usdB, value: 0n, data: transferData(b.vault, 1n) }] },
        ]),
      ],
    })
    const { actionId } = created.body
    const page = await open(`/explorer/${actionId}`)
    expect(await page.locator('.credit').count()).to.equal(0)
    await api.execute(actionId, 0, 0)
    expect((await api.execute(actionId, 0, 1)).body.status).to.equal('reverted')
    await page.locator('.credit').waitFor()
    expect(await textOf('.credit'))
      .to.contain('This action has paid the solver 25 USD on Local chain A.')
      .and.match(/credit now\s+25 USD on Local chain A\s+available/)
    expect(await accessibilityProblems(page)).to.deep.equal([])
    await page.getByRole('link', { name: 'How to get it back' }).click()
    const guide = page.getByRole('heading', { name: 'Guide: money back' })
    await guide.waitFor()
    const isOnScreen = () =>
      guide.evaluate((heading) => {
        const { top } = heading.getBoundingClientRect()
        return top >= 0 && top < innerHeight
      })
    await until(isOnScreen, 'the guide to be scrolled to')

    const back = { from: 'solver' as const, to: user.address, token: usdA, amount: pays.amount }
    const wayOut = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [],
      intents: [
        await signedIntent(user, [{ chainId: a.chainId, tokenTransfers: [back], calls: [] }], {
          signatureType: 'eip712',
        }),
      ],
    })
    expect((await api.execute(wayOut.body.actionId, 0, 0)).body.status).to.equal('success')
    await page.goto(`${service.url}/explorer/${actionId}`)
    await page.getByText('The user has no credit with the solver now.').waitFor()
  })

  it('takes for credit only what the solver holds', async () => {
    const [a] = service.chains
    const [user, payer] = [newUser().address, newUser()]
    const tokenAddress = tokenOf(a, 'usd').address
    await fund(a, payer.address, { usd: 5n, native: parseUnits('1', 18) })
    const hash = await sendFrom(a, payer, { to: tokenAddress, data: transferData(user, 5n) })
    const report = { user, txHash: hash, sender: payer.address, tokenAddress, chainId: a.chainId, amount: '5' }
    expect((await api.post('/coredeposit', report)).body.data.record).to.include({ custody: 'wallet' })
    const page = await open(`/explorer/?q=${user}`)
    expect(await textOf('h1')).to.equal('Actions of a user')
    expect(await page.getByText('what the solver holds').count()).to.equal(0)
  })

  it('says so when there is no such action', async () => {
    const page = await open('/explorer/019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e')
    expect(await textOf('h1')).to.equal('There is no such action')
    // The browser itself notes the 404 of the API.
    expect(visit.complaints.splice(0).join()).to.contain('404')
    await page.goto(`${service.url}/explorer/nonsense`)
    await page.getByRole('heading', { name: 'There is no such action' }).waitFor()
  })

  it('shows markup in data as text', async () => {
    const [a] = service.chains
    const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>'
    const target: Address = '0x00000000000000000000000000000000000bad00'
    await createTestClient({ mode: 'anvil', transport: http(a.rpcUrls[0]) }).setCode({
      address: target,
      bytecode: revertingWith(markup),
    })
    const user = newUser()
    const created = await api.post('/actions', {
      user: user.address,
      chainAuthorizations: [await authorization(user, a)],
      intents: [
        await signedIntent(user, [
          { chainId: a.chainId, tokenTransfers: [], calls: [{ to: target, value: 0n, data: '0x' }] },
        ]),
      ],
    })
    expect((await api.execute(created.body.actionId, 0, 0)).body.status).to.equal('reverted')
    const page = await open(`/explorer/${created.body.actionId}`)
    expect(await textOf('.problem')).to.contain(markup)
    await page.goto(`${service.url}/explorer?q=${encodeURIComponent(markup)}`)
    await page.getByText('This is none of the three').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).to.equal(markup)
    expect(await page.locator('img, main script').count()).to.equal(0)
  })

  it('links transactions to the chain’s block explorer, if that is on the web', async () => {
    const { actionId } = await anAction()
    const { transactionHash } = (await api.execute(actionId, 0, 0)).body
    for (const [explorerUrl, expected] of [
      ['https://scan.example/', `https://scan.example/tx/${transactionHash}`],
      ['javascript:alert(1)//', null],
    ] as const) {
      visit = await openPage(browser, [service.url])
      await visit.page.route('**/chains', async (route) => {
        const body = await (await route.fetch()).json()
        for (const chain of body.data.chains) chain.explorerUrl = explorerUrl
        await route.fulfill({ json: body })
      })
      await visit.page.goto(`${service.url}/explorer/${actionId}`)
      await visit.page.getByText(transactionHash.slice(0, 8)).waitFor()
      const links = visit.page.locator('.step a')
      expect(await links.count()).to.equal(expected === null ? 0 : 1)
      if (expected === null) continue
      expect(await links.getAttribute('href')).to.equal(expected)
      await visit.close()
    }
  })

  for (const [place, options] of [
    ['on a desk in light colours', { colorScheme: 'light' }],
    ['on a phone in dark colours', { colorScheme: 'dark', ...phone }],
  ] as const) {
    it(`can be used by everyone ${place}`, async function () {
      this.timeout(120_000)
      const { user, actionId } = await anAction()
      await api.execute(actionId, 0, 0)
      await open('/explorer', options)
      for (const path of [
        '/explorer',
        `/explorer?q=${user.address}`,
        '/explorer?q=nonsense',
        `/explorer/${actionId}`,
      ]) {
        await visit.page.goto(service.url + path)
        await visit.page.waitForSelector('main h1')
        expect(await accessibilityProblems(visit.page), path).to.deep.equal([])
        const overhang = await visit.page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overhang, path).to.equal(0)
      }
    })
  }
})

/** Code that reverts with `Error(reason)`, whatever it is called with. */
function revertingWith(reason: string): Hex {
  const data = encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [reason] }).slice(
    2,
  )
  const length = (data.length / 2).toString(16).padStart(2, '0')
  // PUSH1 length, PUSH1 10, PUSH0, CODECOPY, PUSH1 length, PUSH0, REVERT, and the data from byte 10 on.
  return `0x60${length}600a5f3960${length}5ffd${data}`
}
