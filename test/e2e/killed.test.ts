import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseUnits } from 'viem'
import { stopProcess } from '../../server/devnet/anvil.js'
import { createApi, type Api } from '../support/api.js'
import { migratedSchema } from '../support/mysqlSchemas.js'
import { isFree } from '../support/freePort.js'
import { localChains } from '../support/localChains.js'
import { serviceProgram } from '../support/serviceProgram.js'
import { until } from '../support/until.js'
import { balanceOf, fund, newUser, onDemandIntent, sendFrom, tokenOf, transferData } from '../support/wallets.js'

/** A service as operators run it: a process of its own, which can be killed. */
async function startProcess(
  dataDir: string,
  databaseUrl: string | null,
): Promise<{ url: string; api: Api; child: ChildProcess }> {
  const child = spawn(process.execPath, await serviceProgram(), {
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'error',
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout!.on('data', (data: Buffer) => (output += data.toString()))
  const url = await until(() => /^API\s+(\S+)$/m.exec(output)?.[1], 'the service to start', 60_000)
  return { url, api: createApi(url), child }
}

function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGKILL')
  return ended
}

describe('a service that is killed', () => {
  let dataDir: string
  let mysql: Awaited<ReturnType<typeof migratedSchema>> | null = null

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'killed-'))
    mysql = process.env.TEST_DATABASE === 'mysql' ? await migratedSchema() : null
  })
  afterEach(async () => {
    const known = JSON.parse(readFileSync(join(dataDir, 'chains/chains.json'), 'utf8')) as { pid: number }[]
    await Promise.all(known.map((chain) => stopProcess(chain.pid)))
    await mysql?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('leaves nobody who listens, killed as soon as it does', async () => {
    const { url, child } = await startProcess(dataDir, mysql?.url ?? null)
    await kill(child)
    await until(() => isFree(Number(new URL(url).port)), 'its port', 5_000)
  }).timeout(90_000)

  it('finishes every accepted step when it is started again, and pays nothing twice', async function () {
    this.timeout(240_000)
    let { api, child } = await startProcess(dataDir, mysql?.url ?? null)
    const chains = await localChains(api)
    const [a, b] = chains
    const [usdA, usdB] = [tokenOf(a, 'usd').address, tokenOf(b, 'usd').address]

    const payouts: { user: ReturnType<typeof newUser>; actionId: string }[] = []
    for (let round = 0; round < 6; round++) {
      const user = newUser()
      await fund(a, user.address, { usd: parseUnits('5', 6), native: parseUnits('1', 18) })
      const hash = await sendFrom(a, user, { to: usdA, data: transferData(a.vault, parseUnits('5', 6)) })
      const created = await api.post('/actions', {
        user: user.address,
        intents: [
          onDemandIntent([
            {
              chainId: a.chainId,
              tokenTransfers: [{ from: user.address, to: a.vault, token: usdA, amount: parseUnits('5', 6) }],
            },
            {
              chainId: b.chainId,
              tokenTransfers: [{ from: 'solver', to: user.address, token: usdB, amount: parseUnits('5', 18) }],
            },
          ]),
        ],
      })
      const { actionId } = created.body
      payouts.push({ user, actionId })
      const accepted = await api.execute(actionId, 0, 0, { hash }, 0)
      expect(accepted.status, JSON.stringify(accepted.body)).to.be.oneOf([200, 202])
      // A little later each round, so that the kill meets another moment of the work.
      await until(() => Date.now() % (7 + round * 5) === 0, 'a moment to kill')
      await kill(child)
      ;({ api, child } = await startProcess(dataDir, mysql?.url ?? null))
    }

    // Others may be at work on a database that is shared, so that a lease of 15 s has to run out there.
    const withinMs = mysql ? 40_000 : 10_000
    for (const { user, actionId } of payouts) {
      await until(
        async () => (await api.get(`/actions/${actionId}`)).body.status === 'success',
        `action ${actionId}`,
        withinMs,
      )
      expect(await balanceOf(b, usdB, user.address)).to.equal(parseUnits('5', 18))
    }
    expect(parseUnits('1000000', 18) - (await balanceOf(b, usdB, b.vault))).to.equal(parseUnits('30', 18))
    await kill(child)
  })
})
