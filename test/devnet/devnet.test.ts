import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Address } from 'viem'
import { identify, rpc } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'
import { balanceOf, fund, newUser, reader, tokenOf } from '../support/wallets.js'

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
