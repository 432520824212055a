import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  type Abi,
  type Address,
  createPublicClient,
  encodeFunctionData,
  getAddress,
  http,
  toHex,
  zeroAddress,
} from 'viem'
import { delegateRuntime, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { createSigner } from '../../server/chain/keys/signer.js'
import { type Anvil, rpc } from '../../server/devnet/anvil.js'
import { devAccount, devKey } from '../../server/devnet/accounts.js'
import { lower } from '../chain/devChain.js'
import { bundledProgram } from '../support/bundledProgram.js'
import { addressOf, useDeployScene } from './deployScene.js'

type File = { chains: object[] }

describe('npm run deploy', () => {
  const { folder, file, anvils, said, writeChains, run, written, nonces, refusal } = useDeployScene([
    { chainId: 101 },
    { chainId: 102, create2Factory: false },
  ])
  const readVault = (
    url: string,
    address: Address,
    functionName: 'owner' | 'isOperator' | 'outflowOf',
    args: unknown[],
  ) =>
    createPublicClient({ transport: http(url) }).readContract({
      address,
      abi: solverVaultAbi,
      functionName,
      args: args as never,
    })

  it('shows in a dry run what it would do and what it costs, and does nothing', async () => {
    const before = readFileSync(file, 'utf8')
    expect(await run({ dryRun: true })).to.equal('planned')
    const text = said.join('\n')
    for (const word of ['deploy the delegate', 'deploy the vault', 'CREATE2 factory', 'operate', 'costs', 'ETH']) {
      expect(text).to.contain(word)
    }
    expect(await nonces()).to.deep.equal(['0x0', '0x0'])
    expect(readFileSync(file, 'utf8')).to.equal(before)
  })

  it('deploys both contracts at one address on every chain, sets operators and caps, and writes the file', async () => {
    expect(await run()).to.equal('done')
    const { chains, problems } = written()
    expect(problems).to.deep.equal([])
    expect(chains[0]!.vault).to.equal(chains[1]!.vault)
    expect(readFileSync(file, 'utf8')).to.contain('${NODE}')
    for (const [index, { url }] of anvils.entries()) {
      const { vault, delegates, vaultBlock } = chains[index]!
      expect(await rpc(url, 'eth_getCode', [delegates[0], 'latest'])).to.equal(delegateRuntime)
      expect(await rpc(url, 'eth_getCode', [vault, toHex(vaultBlock! - 1)])).to.equal('0x')
      expect(lower((await readVault(url, vault, 'owner', [])) as Address)).to.equal(addressOf(0))
      for (const operator of [1, 2]) {
        expect(await readVault(url, vault, 'isOperator', [addressOf(operator)])).to.equal(true)
      }
      expect(((await readVault(url, vault, 'outflowOf', [zeroAddress])) as readonly bigint[])[0]).to.equal(5000n)
    }
  })

  it('names no first block of a vault at whose address something is already', async () => {
    expect(await run({ dryRun: true, vaultNumber: 5 })).to.equal('planned')
    const [, vault] = /vault +(0x\w{40})/.exec(said.join('\n'))!
    await rpc(anvils[0]!.url, 'anvil_setBalance', [vault, '0x7'])
    expect(await run({ vaultNumber: 5 })).to.equal('done')
    expect(written().chains.map(({ vaultBlock }) => vaultBlock !== undefined)).to.deep.equal([false, true])
  })

  it('does nothing the second time, and only what is missing when something was added', async () => {
    await run()
    const before = await nonces()
    said.length = 0
    const since = written().chains.map(({ vaultBlock }) => vaultBlock)
    expect(await run()).to.equal('done')
    expect(written().chains.map(({ vaultBlock }) => vaultBlock)).to.deep.equal(since)
    expect(await nonces()).to.deep.equal(before)
    expect(said.filter((line) => line.includes('nothing to do'))).to.have.length(2)
    await run({ operators: [addressOf(1), addressOf(3)] })
    const grown = (await nonces()).map((nonce, index) => Number(nonce) - Number(before[index]))
    expect(grown).to.deep.equal([1, 1])
  })

  it('gives nobody back a right that the owner has taken, unless it is told to', async () => {
    const given = { owner: addressOf(5), signer: createSigner(devKey(5)), operators: [addressOf(1), addressOf(2)] }
    await run(given)
    const { vault } = written().chains[0]!
    const args = [addressOf(2), false] as const
    const data = encodeFunctionData({ abi: solverVaultAbi, functionName: 'setOperator', args })
    await rpc(anvils[0]!.url, 'eth_sendTransactionSync', [{ from: addressOf(5), to: vault, data }])
    const mayOperate = () => readVault(anvils[0]!.url, vault, 'isOperator', [addressOf(2)])
    for (const dryRun of [true, false]) {
      const told = await refusal(run({ ...given, dryRun }))
      expect(told).to.contain(`Chain 101: the owner of the vault ${vault} has taken the right of ${addressOf(2)}`)
      expect(told).to.contain('--operators')
    }
    expect(await mayOperate()).to.equal(false)
    const replacing = { replaceVault: true, vaultNumber: 4 }
    expect(await refusal(run({ ...given, ...replacing }))).to.contain(`the vault ${vault} has taken the right`)
    expect(await run({ ...given, areNamed: true })).to.equal('done')
    expect(await mayOperate()).to.equal(true)
  })

  it("leaves to another owner what is the owner's, and says what he has to send", async () => {
    expect(await run({ owner: addressOf(7) })).to.equal('ownerHasTo')
    const { vault } = written().chains[0]!
    const orders = said.filter((line) => line.includes(`the owner ${addressOf(7)} has to let`))
    expect(orders).to.have.length(4)
    for (const order of orders) {
      const [, chainId, to, data] = /^(\d+):.* to (0x\w{40}) data (0x\w+)$/.exec(order)!
      const { url } = anvils.find((anvil) => String(anvil.chainId) === chainId)!
      await rpc(url, 'eth_sendTransactionSync', [{ from: addressOf(7), to, data }])
    }
    expect(await readVault(anvils[0]!.url, vault, 'isOperator', [addressOf(1)])).to.equal(true)
  })

  it('refuses a vault that someone else has come to own, unless the file names him', async () => {
    const given = { owner: addressOf(6), signer: createSigner(devKey(6)) }
    await run(given)
    const { vault } = written().chains[0]!
    async function transfer({ url }: Anvil) {
      const call = (from: number, functionName: 'transferOwnership' | 'acceptOwnership', args: Address[]) =>
        rpc(url, 'eth_sendTransactionSync', [
          {
            from: addressOf(from),
            to: vault,
            data: encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args }),
          },
        ])
      await call(6, 'transferOwnership', [addressOf(8)])
      await call(8, 'acceptOwnership', [])
    }
    await transfer(anvils[0]!)
    expect(await refusal(run(given))).to.contain(`${addressOf(8)} owns it`)
    writeChains({ vaultOwner: addressOf(8) })
    expect(await refusal(run(given))).to.contain(`Chain 102: ${addressOf(6)} owns the vault ${vault}`)
    await transfer(anvils[1]!)
    expect(await run(given)).to.equal('done')
    expect(await run({ ...given, operators: [addressOf(5)] })).to.equal('ownerHasTo')
  })

  it('makes no vault for an owner who has handed on those of other chains', async () => {
    const given = { owner: addressOf(4), signer: createSigner(devKey(4)) }
    writeChains()
    const both = JSON.parse(readFileSync(file, 'utf8')) as { chains: object[] }
    writeFileSync(file, JSON.stringify({ chains: both.chains.slice(0, 1) }))
    await run(given)
    const { vault } = written().chains[0]!
    for (const [from, functionName, args] of [
      [addressOf(4), 'transferOwnership', [addressOf(8)]],
      [addressOf(8), 'acceptOwnership', []],
    ] as const) {
      const data = encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args })
      await rpc(anvils[0]!.url, 'eth_sendTransactionSync', [{ from, to: vault, data }])
    }
    const [first] = (JSON.parse(readFileSync(file, 'utf8')) as { chains: object[] }).chains
    writeFileSync(file, JSON.stringify({ chains: [{ ...first, vaultOwner: addressOf(8) }, both.chains[1]] }))
    expect(await refusal(run(given))).to.contain(
      `Chain 102: the vault would be made for ${addressOf(4)}, and that of chain 101, which was made for him too, is ${addressOf(8)}'s`,
    )
    expect(await rpc(anvils[1]!.url, 'eth_getCode', [vault, 'latest'])).to.equal('0x')
  })

  it('repeats nothing of a file that is no JSON', async () => {
    for (const [text, what] of [
      ['{"rpcUrls":[secret-key', 'no JSON'],
      ['null', 'no object'],
      ['5', 'no object'],
    ] as const) {
      writeFileSync(file, text)
      const said = await refusal(run())
      expect(said).to.contain(what).and.not.to.contain('secret')
    }
  })

  it('keeps older delegates, and refuses to put a new vault in the place of one that is in use', async () => {
    const [old, oldVault] = [`0x${'12'.repeat(20)}`, `0x${'34'.repeat(20)}`]
    writeChains({ delegates: [old], vault: oldVault })
    expect(await refusal(run())).to.contain('--replace-vault')
    expect(await run({ replaceVault: true })).to.equal('done')
    expect(written().chains[0]!.delegates[1]).to.equal(old)
    expect(written().chains[0]!.formerVaults).to.deep.equal([oldVault])
  })

  it('makes a fresh vault of the same owner by another number, and refuses to call the old one fresh', async () => {
    await run()
    const before = written().chains[0]!.vault
    expect(await refusal(run({ replaceVault: true })))
      .to.contain(`${before} already`)
      .and.contain('--vault-number')
    expect(written().chains[0]!.vault).to.equal(before)
    expect(await run({ replaceVault: true, vaultNumber: 1 })).to.equal('done')
    const { vault, formerVaults } = written().chains[0]!
    expect(vault).not.to.equal(before)
    expect(formerVaults).to.include(before)
    expect(await readVault(anvils[0]!.url, vault, 'owner', [])).to.equal(getAddress(addressOf(0)))
    // Again, as for a new cap: it stays the one that the file names.
    expect(await run()).to.equal('done')
    expect(written().chains[0]).to.deep.include({ vault, formerVaults })
  })

  it('says what can be done with a file that names two vaults of one owner', async () => {
    const operators = [addressOf(1)]
    for (const vaultNumber of [0, 1]) await run({ operators, vaultNumber, out: `${file}.${vaultNumber}` })
    const [first, second] = [0, 1].map((number) => JSON.parse(readFileSync(`${file}.${number}`, 'utf8')) as File)
    const chains = [first!.chains[0], second!.chains[1]]
    writeFileSync(file, JSON.stringify({ chains }))
    const said = await refusal(run({ operators }))
    expect(said).to.contain('Chain 102: ').and.contain("is this owner's number 1, and a file has one number for all")
    expect(said).not.to.contain('leave --vault-number out')
    // Both ways work.
    expect(await run({ operators, replaceVault: true, vaultNumber: 2, out: `${file}.2` })).to.equal('done')
    writeFileSync(file, JSON.stringify({ chains: chains.slice(1) }))
    expect(await run({ operators })).to.equal('done')
  })

  it('leaves the file as readable as it was, and the link to it a link', async () => {
    const link = join(folder, 'link.json')
    symlinkSync(file, link)
    const copy = join(folder, 'copy.json')
    for (const mode of [0o600, 0o640]) {
      chmodSync(file, mode)
      await run({ out: link })
      await run({ out: copy })
      for (const written of [file, copy]) expect(statSync(written).mode & 0o777, written).to.equal(mode)
      rmSync(copy)
    }
    expect(lstatSync(link).isSymbolicLink()).to.equal(true)
    chmodSync(file, 0o644)
  })

  it('sends nothing when a node is of another chain, when the deployer is poor, or on real chains with a plain key', async () => {
    const poor = createSigner(`0x${'77'.repeat(32)}`)
    const before = await nonces()
    expect(await refusal(run({ signer: poor, owner: poor.address }))).to.contain("can't pay")
    writeChains({ testnet: false })
    expect(await refusal(run())).to.contain('not marked testnet')
    writeChains({ rpcUrls: [anvils[0]!.url] })
    expect(await refusal(run())).to.contain('Chain 102: rpcUrls/0: the node is of chain 101')
    expect(await nonces()).to.deep.equal(before)
  })

  it('says that nobody may operate where no operator was ever named, each time until one is', async () => {
    const given = { owner: addressOf(9), signer: createSigner(devKey(9)), operators: [] }
    const told = () => said.filter((line) => line.includes('NOBODY MAY OPERATE') && line.includes('--operators'))
    expect(await run({ ...given, dryRun: true })).to.equal('planned')
    expect(told()).to.have.length(2)
    for (const times of [2, 3]) {
      expect(await run(given)).to.equal('nobodyOperates')
      expect(told()).to.have.length(2 * times)
    }
    expect(await run({ ...given, dryRun: true })).to.equal('nobodyOperates')
    said.length = 0
    expect(await run({ ...given, operators: [addressOf(1)] })).to.equal('done')
    expect(await run(given)).to.equal('done')
    expect(told()).to.deep.equal([])
    // Whose right was taken is none.
    const args = [addressOf(1), false] as const
    const data = encodeFunctionData({ abi: solverVaultAbi, functionName: 'setOperator', args })
    await rpc(anvils[0]!.url, 'eth_sendTransactionSync', [{ from: addressOf(9), to: written().chains[0]!.vault, data }])
    expect(await run(given)).to.equal('nobodyOperates')
    expect(told()).to.have.length(1)
  })

  async function runProgram(words: readonly string[], env: Record<string, string> = {}) {
    const program = await bundledProgram('scripts/deploy.ts', '--chains', file, ...words)
    return spawnSync(process.execPath, program, {
      ...{ encoding: 'utf8' as const, env: { ...process.env, NODE: '127.0.0.1', ...env } },
    })
  }

  it('runs from the command line, with an exit code for scripts and without its secrets', async () => {
    const words = ['--dry-run', '--owner', `0x${'34'.repeat(20)}`]
    const { stdout, stderr, status } = await runProgram(words, { SOLVER_PRIVATE_KEYS: devKey(1) })
    expect(stdout).to.contain('Dry run').and.to.contain('too little')
    expect(status).to.equal(3)
    expect(stdout + stderr).not.to.contain(devKey(1).slice(2))
  })

  it('tells how it is used, and that a vault is replaced everywhere or nowhere', async () => {
    const { stdout, status } = await runProgram(['--help'])
    expect(stdout).to.contain('--vault-number <n>').and.contain('on all its chains or on none')
    expect(status).to.equal(0)
  })

  it('refuses a variable that is misspelt before it looks at anything', async () => {
    const { stdout, stderr, status } = await runProgram(['--dry-run'], { DEPLOYER_KEY_FILE: 'owner.json' })
    expect(stderr).to.equal('DEPLOYER_KEY_FILE: is not known; did you mean DEPLOYER_KEYS_FILE?\n')
    expect([stdout, status]).to.deep.equal(['', 1])
  })

  it('ends with 2 where nobody may operate', async () => {
    const { stdout, status } = await runProgram([], { DEPLOYER_PRIVATE_KEYS: devKey(3) })
    expect(stdout).to.contain('101: NOBODY MAY OPERATE').and.contain('102: NOBODY MAY OPERATE')
    expect(status).to.equal(2)
  })

  it('refuses an owner and operators with a wrong letter, and those that are nobody', async () => {
    const mistyped = devAccount(3).address.replace(/[a-f]/, (letter) => letter.toUpperCase())
    const [right, zero] = [addressOf(4), zeroAddress]
    for (const [words, env, place] of [
      [['--owner', mistyped], {}, `--owner: ${mistyped} has a wrong checksum`],
      [['--owner', zero], {}, `--owner: ${zero} is the zero address`],
      [['--owner', right, '--operators', `${right},${mistyped}`], {}, `--operators: ${mistyped} has a wrong checksum`],
      [['--owner', right, '--operators', zero], {}, `--operators: ${zero} is the zero address`],
      [['--owner', right], { SOLVER_SIGNER_ADDRESSES: mistyped }, 'SOLVER_SIGNER_ADDRESSES: entry 1 has a wrong'],
      [['--owner', right], { DEPLOYER_SIGNER_URL: 'unix:/a', DEPLOYER_SIGNER_ADDRESSES: zero }, 'entry 1 is the zero'],
    ] as [string[], Record<string, string>, string][]) {
      const { stderr, status } = await runProgram(['--dry-run', ...words], env)
      expect(stderr).to.contain(place)
      expect(status).to.equal(1)
    }
  })

  it('prints no key that was given for an address', async () => {
    for (const words of [
      ['--owner', devKey(4)],
      ['--owner', addressOf(4), '--operators', devKey(4)],
    ]) {
      const { stdout, stderr, status } = await runProgram(['--dry-run', ...words])
      expect(stderr).to.equal(`${words.at(-2)}: what is given is no address\n`)
      expect([stdout, status]).to.deep.equal(['', 1])
    }
  })

  it('lets those operate whose addresses alone are named', async () => {
    const words = ['--dry-run', '--owner', addressOf(0)]
    const { stdout, stderr, status } = await runProgram(words, { SOLVER_SIGNER_ADDRESSES: addressOf(4) })
    expect(stdout, stderr).to.contain(`let ${addressOf(4)} operate`)
    expect(status).to.equal(3)
  })
})
