import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Abi, type Address, encodeFunctionData, getAddress, type Hex, pad, zeroAddress } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { createDatabase, type Database } from '../../server/store/connection/database.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { reader, sendFrom } from '../support/wallets.js'
import { runTool } from './runTool.js'

describe('what `npm run operate -- owner` prints for the owner to send', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'owner-'))
  const owner = devAccount(0).address.toLowerCase()
  const operator = devAccount(1).address
  const former: Address = `0x${'12'.repeat(20)}`
  let devnet: Devnet
  let env: Record<string, string>
  let database: Database
  let vault: Address
  let token: Address

  before(async () => {
    devnet = await startDevnet({ dataDir: folder })
    vault = devnet.chains[0]!.vault
    token = devnet.chains[0]!.tokens[0]!.address
    // As by a service that runs, and has the file to itself.
    const file = join(folder, 'service.sqlite')
    database = createDatabase({ kind: 'sqlite', file })
    await database.migrate()
    env = { ...chainsFileOf(devnet, folder), DATABASE_URL: `sqlite:${file}` }
    const { chains, groups } = JSON.parse(readFileSync(env.CHAINS_FILE!, 'utf8'))
    chains[0].formerVaults = [former]
    chains[1].rpcUrls = ['http://127.0.0.1:9/0123456789abcdef']
    writeFileSync(env.CHAINS_FILE!, JSON.stringify({ chains, groups }))
  })
  after(async () => {
    await database.close()
    await devnet.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function lines(...words: string[]): Promise<string[]> {
    const { status, stdout, stderr } = await runTool('operate', ['owner', ...words], env)
    expect([status, stderr]).to.deep.equal([0, ''])
    return stdout.trim().split('\n').slice(1)
  }

  async function refusal(...words: string[]): Promise<string> {
    const { status, stderr } = await runTool('operate', ['owner', ...words], env)
    expect(status, stderr).to.equal(1)
    return stderr
  }

  /** Sends what a line tells, from whom it names. */
  async function send(line: string): Promise<void> {
    const [, from, to, data] = /^31337: .* (0x\w{40}) has to .*: to (0x\w{40}) data (0x\w+)$/.exec(line)!
    await rpc(devnet.chains[0]!.rpcUrls[0]!, 'anvil_impersonateAccount', [from])
    await rpc(devnet.chains[0]!.rpcUrls[0]!, 'eth_sendTransactionSync', [{ from, to, data }])
  }

  const read = (functionName: string, args: unknown[] = [], address: Address = vault): Promise<unknown> =>
    reader(devnet.chains[0]!).readContract({ address, abi: solverVaultAbi as Abi, functionName, args })

  it('pauses every vault of every chain, those that nobody tells the owner of too, and lets them go on', async () => {
    const paused = await lines('pause')
    expect(paused.map((line) => line.replace(/ data .*| \(.*/, ''))).to.deep.equal([
      `31337: the owner ${owner} has to pause payouts: to ${vault}`,
      `31337: no node tells the owner of the former vault ${former}`,
      `31337: the owner has to pause payouts, at the former vault: to ${former}`,
      `31338: no node tells the owner of the vault ${vault}`,
      `31338: the owner has to pause payouts: to ${vault}`,
    ])
    expect(paused.join()).not.to.contain('0123456789abcdef')
    await send(paused[0]!)
    expect(await read('paused')).to.equal(true)
    expect((await lines('pause', '31337'))[0]).to.equal(`31337: the vault ${vault} is paused already`)
    const [first] = await lines('unpause', '31337')
    await send(first!)
    expect(await read('paused')).to.equal(false)
  })

  it('needs of the environment the chains file alone, beside chains of value too, whatever else is wrong in it', async () => {
    const { chains, groups } = JSON.parse(readFileSync(env.CHAINS_FILE!, 'utf8'))
    for (const chain of chains) {
      chain.testnet = false
      chain.rpcUrls[0] += '/?key=${NODE_KEY}'
      for (const token of chain.tokens) delete token.airdrop
    }
    const CHAINS_FILE = join(folder, 'of-value.json')
    writeFileSync(CHAINS_FILE, JSON.stringify({ chains, groups }))
    const wrong = { ROLE: 'boss', DATABASE_ULR: 'mysql://u:p@h/x', SOLVER_MNEMONIC: 'x', DATABASE_URL: 'postgres://x' }
    for (const more of [{}, wrong]) {
      const { status, stdout, stderr } = await runTool('operate', ['owner', 'pause', '31337'], {
        ...{ CHAINS_FILE, NODE_KEY: '0123456789abcdef' },
        ...more,
      })
      expect([status, stderr]).to.deep.equal([0, ''])
      expect(stdout).to.match(/^Looking at chains 31337 .*, 31338 /)
      expect(stdout).to.contain(`31337: the owner ${owner} has to pause payouts: to ${vault}`)
    }
    const { status, stderr } = await runTool('operate', ['owner', 'pause'], { CHAINS_FILE })
    expect([status, stderr.trim().split('\n').length]).to.deep.equal([1, 1])
    expect(stderr).to.contain('CHAINS_FILE: /chains/0/rpcUrls/0: the environment variable NODE_KEY is not set')
  })

  it('takes no other chains for those of a file that is not named', async () => {
    for (const more of [{}, { DATABASE_URL: 'sqlite:', DATA_DIR: folder }] as Record<string, string>[]) {
      const { status, stdout, stderr } = await runTool('operate', ['owner', 'pause'], more)
      expect([status, stdout]).to.deep.equal([1, ''])
      expect(stderr).to.contain('CHAINS_FILE is not set').and.contain('--embedded')
    }
  })

  /** Makes the former vault one, as the other is. */
  async function makeFormer(): Promise<void> {
    const ask = (method: string, ...params: unknown[]) => rpc(devnet.chains[0]!.rpcUrls[0]!, method, params)
    await ask('anvil_setCode', former, await ask('eth_getCode', vault, 'latest'))
    for (const slot of ['0x0', '0x1', '0x2', '0x3'].map((name) => pad(name as Hex))) {
      await ask('anvil_setStorageAt', former, slot, await ask('eth_getStorageAt', vault, slot, 'latest'))
    }
  }

  it("takes an operator's right", async () => {
    const [first] = await lines('revoke', operator, '31337')
    await send(first!)
    expect(await read('isOperator', [operator])).to.equal(false)
    const remark = `31337: the vault ${vault} knows no operator ${operator.toLowerCase()}`
    expect(await lines('revoke', operator, '31337')).to.include(remark)
  })

  it('withdraws, and says where the vault holds less', async () => {
    const to = devAccount(9).address
    const [remark, line, ...more] = await lines('withdraw', '31337', token, to, '2500000')
    expect(remark).to.contain(`${to.toLowerCase()} is not in inventoryFrom of the chains file`)
    expect(more).to.deep.equal([])
    await send(line!)
    expect(await lines('withdraw', '31337', token, to, '1000000000000')).to.include(
      `31337: the vault ${vault} holds 999997500000 of it only`,
    )
    expect(await lines('withdraw', '31337', former, to, '1')).to.include(
      `31337: the chains file names no token ${former}`,
    )
    await rpc(devnet.chains[0]!.rpcUrls[0]!, 'anvil_setBalance', [former, '0x7'])
    const native = await lines('withdraw', '31337', zeroAddress, to, '9')
    expect(native).to.include(`31337: the former vault ${former} holds 7 of it only`)
    const calls = native.filter((told) => told.includes(`has to withdraw 9 of ${zeroAddress} to ${to.toLowerCase()}`))
    expect(calls.map((told) => / to (0x\w{40}) data /.exec(told)![1])).to.deep.equal([vault, former])
  })

  it('accepts the ownership by whom it was given to, if it was', async () => {
    await makeFormer()
    expect(await lines('accept', '31337')).to.deep.equal([
      `31337: the vault ${vault} is given to nobody: its owner has to call transferOwnership first`,
    ])
    const next = devAccount(8).address
    const data = encodeFunctionData({ abi: solverVaultAbi, functionName: 'transferOwnership', args: [next] })
    await sendFrom(devnet.chains[0]!, devAccount(0), { to: vault, data })
    await makeFormer()
    const [line, ofFormer, ...more] = await lines('accept', '31337')
    const told = `31337: the pending owner ${next.toLowerCase()} has to accept the ownership`
    expect([line, ofFormer, more]).to.satisfy(
      () =>
        line!.startsWith(`${told}: to ${vault}`) &&
        ofFormer!.startsWith(`${told}, at the former vault: to ${former}`) &&
        more.length === 0,
    )
    await send(ofFormer!)
    expect(await read('owner', [], former)).to.equal(getAddress(next))
    await send(line!)
    expect(await read('owner')).to.equal(getAddress(next))
  })

  const wrong = getAddress(operator).replace(/[a-f]/, (letter) => letter.toUpperCase())
  for (const [words, said] of [
    [['pause', '99'], 'There is no chain 99 in the configuration'],
    [['revoke', wrong], '<operator> has a wrong checksum (EIP-55)'],
    [['revoke', zeroAddress], "<operator> is the zero address, which is nobody's"],
    [['withdraw', '31337', zeroAddress, zeroAddress, '1'], '<to> is the zero address'],
    [['withdraw', '31337', zeroAddress, former, '1'], '<to> is a vault of chain 31337'],
    [['withdraw', '31337', zeroAddress, operator, '1.5'], '<amount> has to be a whole number above 0'],
    [['withdraw', '31337', zeroAddress, operator], 'Usage: '],
    [['renounce'], 'Usage: '],
  ] as const) {
    it(`refuses ${words.join(' ')}`, async () => {
      expect(await refusal(...words)).to.satisfy((stderr: string) => stderr.startsWith(said))
    })
  }
})
