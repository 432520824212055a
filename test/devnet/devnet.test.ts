import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { type Address, parseUnits } from 'viem'
import { identify, rpc, startAnvil } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'
import { balanceOf, fund, newUser, reader, sendFrom, tokenOf } from '../support/wallets.js'

describe('the embedded chains', () => {
  let dataDir: string
  let devnet: Devnet | null = null

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'devnet-'))
  })
  afterEach(async () => {
    await devnet?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('have both contracts at the same address, tokens, and a million dollars in each vault', async () => {
    devnet = await startDevnet({ dataDir })
    const [a, b] = devnet.chains as [Devnet['chains'][0], Devnet['chains'][0]]
    expect([a.chainId, b.chainId]).to.deep.equal([31337, 31338])
    expect([a.vault, a.delegates[0]]).to.deep.equal([b.vault, b.delegates[0]])
    for (const chain of [a, b]) {
      expect(await reader(chain).getCode({ address: chain.vault })).to.not.equal(undefined)
      const usd = tokenOf(chain, 'usd')
      expect(await balanceOf(chain, usd.address, chain.vault)).to.equal(10n ** BigInt(6 + usd.decimals))
    }
    expect([tokenOf(a, 'usd').decimals, tokenOf(b, 'usd').decimals]).to.deep.equal([6, 18])
  })

  it('keep what happened on them between runs, receipts included', async () => {
    devnet = await startDevnet({ dataDir })
    const user = newUser().address
    await fund(devnet.chains[0]!, user, { usd: 7n })
    const block = await reader(devnet.chains[0]!).getBlock()
    await devnet.stop()
    devnet = await startDevnet({ dataDir })
    const [a] = devnet.chains
    expect(await balanceOf(a!, tokenOf(a!, 'usd').address, user)).to.equal(7n)
    expect((await reader(a!).getBlock({ blockNumber: block.number })).hash).to.equal(block.hash)
    const receipt = await reader(a!).getTransactionReceipt({ hash: block.transactions[0]! })
    expect(receipt.blockNumber).to.equal(block.number)
  })

  it('stay the same over many restarts and go on in the present, whether blocks come at once or each second', async () => {
    const genesisTime = Math.floor(Date.now() / 1000) - 3600
    const stateFile = join(dataDir, 'chain-31337.json')
    // As a service leaves it that is killed before it could note it.
    await (await startAnvil({ chainId: 31337, stateFile, genesisTime })).stop()
    devnet = await startDevnet({ dataDir })
    const [a] = devnet.chains as [Devnet['chains'][0]]
    const user = newUser()
    await fund(a, user.address, { usd: 7n, native: parseUnits('1', 18) })
    const before = await identify(a.rpcUrls[0]!)
    expect(before?.genesisTime).to.equal(genesisTime)

    let head = await reader(a).getBlock()
    for (let restart = 0; restart < 6; restart++) {
      await devnet.stop()
      devnet = null
      devnet = await startDevnet({ dataDir, ...(restart % 2 === 1 && { blockTime: 1 }) })
      const [chain] = devnet.chains as [Devnet['chains'][0]]
      expect(await identify(chain.rpcUrls[0]!)).to.deep.equal(before)
      expect(await balanceOf(chain, tokenOf(chain, 'usd').address, user.address)).to.equal(7n)
      expect(await reader(chain).getTransactionCount({ address: user.address })).to.equal(restart)
      await sendFrom(chain, user, { to: user.address, data: '0x' })
      const next = await reader(chain).getBlock()
      expect(next.timestamp >= head.timestamp, 'time goes on').to.equal(true)
      expect(Date.now() / 1000 - Number(next.timestamp)).to.be.within(-1, 5)
      head = next
    }
  }).timeout(60_000)

  it('are rid of the further blocks 0 that an older build has had them keep', async () => {
    devnet = await startDevnet({ dataDir })
    const before = await identify(devnet.chains[0]!.rpcUrls[0]!)
    await devnet.stop()
    devnet = null
    const [stateFile, knownFile] = [join(dataDir, 'chain-31337.json'), join(dataDir, 'chains.json')]
    const state = readJson(stateFile) as { blocks: { header: { number: string; timestamp: string } }[] }
    const [genesis] = state.blocks.filter(({ header }) => Number(header.number) === 0)
    for (let load = 1; load <= 8; load++) {
      const timestamp = `0x${(before!.genesisTime + load).toString(16)}`
      state.blocks.push({ ...genesis, header: { ...genesis!.header, timestamp } })
    }
    writeFileSync(stateFile, JSON.stringify(state))
    const known = readJson(knownFile) as { genesisTime?: number }[]
    writeFileSync(knownFile, JSON.stringify(known.map(({ genesisTime: _, ...chain }) => chain)))

    devnet = await startDevnet({ dataDir })
    expect(await identify(devnet.chains[0]!.rpcUrls[0]!)).to.deep.equal(before)
    await devnet.stop()
    devnet = null
    const { blocks } = readJson(stateFile) as typeof state
    expect(blocks.filter(({ header }) => Number(header.number) === 0)).to.deep.equal([genesis])
    const times = (readJson(knownFile) as typeof known).map((chain) => chain.genesisTime)
    expect(times).to.deep.equal(known.map((chain) => chain.genesisTime))
  })

  it('that are not kept begin anew in the same folder', async () => {
    devnet = await startDevnet({ dataDir, isKept: false })
    const user = newUser().address
    await fund(devnet.chains[0]!, user, { usd: 7n })
    await devnet.stop()
    devnet = null
    devnet = await startDevnet({ dataDir, isKept: false })
    const [a] = devnet.chains
    expect(await balanceOf(a!, tokenOf(a!, 'usd').address, user)).to.equal(0n)
  })

  it('that a killed service has left running are taken over as they are', async () => {
    devnet = await startDevnet({ dataDir })
    const again = await startDevnet({ dataDir })
    expect(again.chains.map((chain) => chain.rpcUrls)).to.deep.equal(devnet.chains.map((chain) => chain.rpcUrls))
  })

  it('that end at once are tried again, and then say where it may stand why', async () => {
    const [stateFile, logFile] = [join(dataDir, 'state.json'), join(dataDir, 'anvil.log')]
    writeFileSync(stateFile, 'damaged')
    const error = await startAnvil({ chainId: 31337, stateFile, logFile }).catch((reason: Error) => reason)
    expect(String(error)).to.match(/anvil for chain 31337 ended with code \d+; .*anvil\.log may say why$/)
    expect(readFileSync(logFile, 'utf8').match(/^Error|^error/gm)).to.have.length(3)
  })

  it('that were reset underneath are refused with what to do', async () => {
    devnet = await startDevnet({ dataDir })
    await devnet.stop()
    devnet = null
    rmSync(join(dataDir, 'chain-31338.json'))
    const failure = await startDevnet({ dataDir }).then(
      () => null,
      (error: Error) => error,
    )
    expect(failure?.message).to.contain('31338').and.to.contain('begin anew')
  })

  it('that an older build has set up are refused with what to do, taken over or started again', async () => {
    devnet = await startDevnet({ dataDir })
    const [chain] = devnet.chains
    await rpc(chain!.rpcUrls[0]!, 'anvil_setCode', [chain!.vault, '0x'])
    for (const _state of ['running', 'ended']) {
      const failure = await startDevnet({ dataDir }).then(
        () => null,
        (error: Error) => error,
      )
      expect(failure?.message).to.contain('31337').and.to.contain('another build').and.to.contain('Delete')
      expect(await identify(chain!.rpcUrls[0]!)).to.equal(null)
    }
  })

  it('are ended where they can’t be set up', async () => {
    const usual = getGlobalDispatcher()
    const urls = new Set<string>()
    const faulty = usual.compose((dispatch) => (options, handler) => {
      if (!String(options.body).includes('eth_getTransactionReceipt')) return dispatch(options, handler)
      urls.add(String(options.origin))
      throw new Error('no receipts today')
    })
    setGlobalDispatcher(faulty)
    const error: unknown = await startDevnet({ dataDir }).catch((fault: unknown) => fault)
    setGlobalDispatcher(usual)
    expect(String(error)).to.contain('no receipts today')
    expect(urls.size).to.equal(2)
    for (const url of urls) expect(await identify(url), url).to.equal(null)
    // The next start completes what was begun.
    devnet = await startDevnet({ dataDir })
    for (const chain of devnet.chains) {
      const usd = tokenOf(chain, 'usd')
      expect(await balanceOf(chain, usd.address, chain.vault)).to.equal(10n ** BigInt(6 + usd.decimals))
    }
  })

  it('mine what a full block has left over, unless blocks come only when asked for', async () => {
    devnet = await startDevnet({ dataDir })
    const [url] = devnet.chains[0]!.rpcUrls as [string]
    // Burns what it gets; and 14 million, which leaves no room for what asks for 16.5.
    const endless: Address = `0x${'7c'.repeat(20)}`
    await rpc(url, 'anvil_setCode', [endless, '0x5b5f56'])
    const accounts = (await rpc(url, 'eth_accounts', [])) as Address[]
    const waiting = async () => Number(((await rpc(url, 'txpool_status', [])) as { pending: string }).pending)
    const send = async (...gas: number[]) => {
      for (const [index, limit] of gas.entries()) {
        const from = accounts[index]!
        await rpc(url, 'eth_sendTransaction', [{ from, to: endless, gas: `0x${limit.toString(16)}` }])
      }
    }
    for (const [limits, left] of [
      [[15e6, 15e6, 15e6, 15e6, 15e6], 3],
      [[14e6, 16.5e6], 1],
    ] as const) {
      await rpc(url, 'evm_setAutomine', [false])
      await send(...limits)
      await rpc(url, 'evm_mine', [])
      // Long enough for what mines left-overs to have done so, had it not seen that nothing is to be mined.
      await pause(2_000)
      expect(await waiting(), 'left over').to.equal(left)
      await rpc(url, 'evm_setAutomine', [true])
      await until(async () => (await waiting()) === 0, 'all are mined')
    }
  })
})

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
