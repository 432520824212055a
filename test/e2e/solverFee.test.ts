import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseUnits } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { createIntentClient } from '../../sdk/src/client.js'
import { sendOnDemand } from '../../sdk/src/sendOnDemand.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { runExample } from '../sdk/runExample.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { startTestService, type TestService } from '../support/service.js'
import { balanceOf, fund, newUser, sendFrom, tokenOf } from '../support/wallets.js'

describe('what the solver keeps of a transfer', () => {
  let folder: string
  let devnet: Devnet
  let service: TestService

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fee-'))
    devnet = await startDevnet({ dataDir: folder, isKept: false })
    service = await startTestService(
      chainsFileOf({ ...devnet, groups: { ...devnet.groups, usd: { feeBps: 10 } } }, folder),
    )
  })
  after(async () => {
    await service?.stop()
    await devnet?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is told with each token, and what is paid with it on top is enough, one unit less is not', async () => {
    const [a, b] = service.chains
    const client = createIntentClient({ baseUrl: service.url })
    const told = (await client.getChains())[1]!.tokens.map(({ id, feeBps }) => [id, feeBps])
    expect(Object.fromEntries(told)).to.include({ usd: 10, eth: 0, weth: 0 })
    const [usdA, usdB] = [tokenOf(a, 'usd').address, tokenOf(b, 'usd').address]
    const gets = parseUnits('100', 18)
    for (const [pays, outcome] of [
      [parseUnits('100.1', 6), 'success'],
      [parseUnits('100.1', 6) - 1n, 'insufficient_credit'],
    ] as const) {
      const user = newUser()
      await fund(a, user.address, { usd: pays, native: parseUnits('1', 18) })
      const chainBatches = [
        { chainId: a.chainId, tokenTransfers: [{ from: user.address, to: a.vault, token: usdA, amount: pays }] },
        {
          chainId: b.chainId,
          tokenTransfers: [{ from: 'solver' as const, to: user.address, token: usdB, amount: gets }],
        },
      ]
      const pay = ({ to, data }: { to: `0x${string}`; data: `0x${string}` }) => sendFrom(a, user, { to, data })
      const ended = await sendOnDemand(client, { user: user.address, intents: [{ chainBatches }], pay }).then(
        ({ status }) => status,
        (error: { code?: string; step?: { error: { code: string } } }) => error.code ?? error.step?.error.code,
      )
      expect(ended).to.equal(outcome)
      expect(await balanceOf(b, usdB, user.address)).to.equal(outcome === 'success' ? gets : 0n)
    }
  })

  for (const name of ['signed.ts', 'onDemand.ts']) {
    it(`leaves the quick starts what they have the solver pay: ${name}`, async function () {
      this.timeout(60_000)
      const said = await runExample(name, { BASE_URL: service.url, PRIVATE_KEY: generatePrivateKey() })
      expect(said).to.match(/^success 0x[0-9a-f]{64} 0x[0-9a-f]{64}$/)
    })
  }

  it('is kept of a refund too, and the example takes what is left of it', async function () {
    this.timeout(60_000)
    // 5 dollars in six digits, less a thousandth on top of what comes back.
    const said = await runExample('refund.ts', { BASE_URL: service.url, PRIVATE_KEY: generatePrivateKey() })
    expect(said).to.match(/^reverted .+\nsuccess 4995004n$/)
  })
})
