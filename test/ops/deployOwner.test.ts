import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { type Abi, type Address, encodeFunctionData } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { rpc } from '../../server/devnet/anvil.js'
import { addressOf, useDeployScene } from './deployScene.js'

const cold = addressOf(7)

describe('npm run deploy and the owner of a vault that is there', () => {
  const { anvils, file, said, run, written, nonces, refusal } = useDeployScene([{ chainId: 105 }])
  const operators: Address[] = []

  /** In the file, of all chains. */
  function change(entry: Record<string, unknown>) {
    const { chains } = JSON.parse(readFileSync(file, 'utf8')) as { chains: object[] }
    writeFileSync(file, JSON.stringify({ chains: chains.map((chain) => ({ ...chain, ...entry })) }))
  }

  async function deployCold(): Promise<Address> {
    await run({ owner: cold, operators })
    return written().chains[0]!.vault
  }

  it('is whom the file calls so, if the vault was made for him', async () => {
    const vault = await deployCold()
    change({ vaultOwner: cold })
    for (const keys of [{}, { signer: null }]) {
      expect(await run({ owner: null, operators, dryRun: true, ...keys })).to.equal('planned')
      expect(said.join('\n')).to.contain(`owner    ${cold}, vaultOwner in the file`).and.contain(`vault    ${vault}`)
    }
    // Of one whom it was not made for, as after a transfer, nothing follows.
    change({ vaultOwner: addressOf(8) })
    expect(await refusal(run({ owner: null, operators }))).to.contain(`this build and owner ${addressOf(0)} make`)
  })

  it('is one of those whose payments are inventory, and stays so when another one has followed him', async () => {
    const [first, next, last] = [addressOf(6), addressOf(8), addressOf(0)]
    await run({ owner: first, operators })
    const [{ vault, inventoryFrom }] = written().chains as [ChainConfig]
    expect(inventoryFrom).to.deep.equal([first])
    change({ inventoryFrom: [], vaultOwner: next })
    for (const [from, functionName, args] of [
      [first, 'transferOwnership', [next]],
      [next, 'acceptOwnership', []],
    ] as const) {
      const data = encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args })
      await rpc(anvils[0]!.url, 'eth_sendTransactionSync', [{ from, to: vault, data }])
    }
    expect(await run({ owner: first, operators })).to.equal('ownerHasTo')
    expect(written().chains[0]!.inventoryFrom).to.deep.equal([next, first])
    // And of a vault that is replaced.
    change({ inventoryFrom: [], vaultOwner: undefined })
    await run({ owner: last, operators, replaceVault: true, vaultNumber: 5 })
    expect(written().chains[0]!.inventoryFrom).to.deep.equal([last, next])
  })

  it('is told where the run is of another one, and nothing is sent', async () => {
    const vault = await deployCold()
    const before = await nonces()
    const said = await refusal(run({ owner: null }))
    expect(said).to.contain(
      `Chain 105: the file names the vault ${vault}, and this build and owner ${addressOf(0)} make`,
    )
    expect(said).to.contain(`of owner ${cold}: give --owner ${cold}.`).and.not.to.contain('--replace-vault')
    expect(await nonces()).to.deep.equal(before)
    expect(written().chains[0]!.vault).to.equal(vault)
    expect(await refusal(run({ owner: cold, vaultNumber: 1 }))).to.contain(
      "is this owner's number 0: leave --vault-number out",
    )
  })

  it('has to be given where his vault is replaced by another key than his, whoever the file calls so', async () => {
    const vault = await deployCold()
    const replacement = { owner: null, operators, replaceVault: true, vaultNumber: 1 }
    const before = await nonces()
    for (const vaultOwner of [undefined, cold]) {
      change({ vaultOwner })
      expect(await refusal(run(replacement))).to.equal(
        `Chain 105: the vault ${vault} to be replaced is of owner ${cold}: give --owner ${cold}, or --owner with whom ` +
          'the next one is to belong to.',
      )
    }
    change({ vaultOwner: undefined, vault: `0x${'36'.repeat(20)}` })
    expect(await refusal(run(replacement))).to.contain('names no owner: give --owner with whom')
    expect(await nonces()).to.deep.equal(before)
    change({ vault })
    expect(await run({ ...replacement, owner: cold })).to.equal('ownerHasTo')
    expect(written().chains[0]!.formerVaults).to.deep.equal([vault])
    // His own key shows that it is not lost.
    await run({ owner: addressOf(0), replaceVault: true })
    expect(await run({ ...replacement, vaultNumber: 2 })).to.equal('nobodyOperates')
  })

  it('is whom the file calls so, or else nothing is made', async () => {
    change({ vaultOwner: addressOf(8) })
    const before = await nonces()
    for (const owner of [null, cold]) {
      const made = owner ?? addressOf(0)
      expect(await refusal(run({ owner, operators, vaultNumber: 3 }))).to.contain(
        `the vault would be made for ${made}, and the file has ${addressOf(8)} as vaultOwner: give --owner ${addressOf(8)}`,
      )
    }
    expect(await nonces()).to.deep.equal(before)
    change({ vaultOwner: undefined })
    const vault = await deployCold()
    change({ vaultOwner: addressOf(8) })
    expect(await refusal(run({ owner: cold, operators }))).to.contain(
      `${cold} owns the vault ${vault}, and the file has ${addressOf(8)} as vaultOwner: have that one accept it`,
    )
  })

  it('is told apart from another build, and from one whom the vault was transferred to', async () => {
    const vault = await deployCold()
    await rpc(anvils[0]!.url, 'anvil_setCode', [`0x${'34'.repeat(20)}`, '0x6001'])
    change({ vault: `0x${'34'.repeat(20)}` })
    expect(await refusal(run()))
      .to.contain('by another build: its code differs')
      .and.contain('--replace-vault')
    change({ vault: `0x${'35'.repeat(20)}` })
    expect(await refusal(run()))
      .to.contain('no contract at the named one')
      .and.contain('--replace-vault')
    const call = (from: number, functionName: string, args: Address[]) => {
      const data = encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args })
      return rpc(anvils[0]!.url, 'eth_sendTransactionSync', [{ from: addressOf(from), to: vault, data }])
    }
    await call(7, 'transferOwnership', [addressOf(8)])
    await call(8, 'acceptOwnership', [])
    change({ vault })
    const said = await refusal(run())
    expect(said)
      .to.contain(`of owner ${addressOf(8)}, and was made for another`)
      .and.contain('as vaultOwner in the file')
    expect(said).not.to.contain('--replace-vault')
  })

  it('has to be named where nobody is', async () => {
    expect(await refusal(run({ owner: null, signer: null, dryRun: true }))).to.contain('--owner <address> is missing')
  })
})
