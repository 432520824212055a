import { expect } from 'chai'
import { encodeFunctionData, type Hash, parseGwei, toHex } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { until } from '../support/until.js'
import { addressOf, useDeployScene } from './deployScene.js'

const deployer = addressOf(0)

describe('npm run deploy where something of the deployer is pending', () => {
  const { anvils, said, writeChains, run, written, nonces, refusal } = useDeployScene([{ chainId: 106 }])
  const ask = (method: string, ...params: unknown[]) => rpc(anvils[0]!.url, method, params)
  const automine = (isOn: boolean) => ask('evm_setAutomine', isOn)
  /** No block takes it yet; a payment of no use, unless it is something else. */
  async function stick(maxFeePerGas: bigint, what: object = { to: deployer, value: '0x1' }): Promise<Hash> {
    await automine(false)
    const fees = { maxFeePerGas: toHex(maxFeePerGas), maxPriorityFeePerGas: toHex(maxFeePerGas) }
    return (await ask('eth_sendTransaction', { from: deployer, ...what, ...fees })) as Hash
  }

  afterEach(async () => {
    await automine(true)
    await ask('evm_mine')
  })

  it('replaces it at its nonce, by more than it offers, and deploys nothing twice', async () => {
    writeChains({ replaceAfterMs: 1_000, maxFeePerGasCap: String(parseGwei('100')) })
    const stuck = await stick(parseGwei('30'))
    const running = run()
    await Promise.race([
      running,
      until(async () => (await ask('eth_getTransactionByHash', stuck)) === null, 'the replacement'),
    ])
    await automine(true)
    await ask('evm_mine')
    expect(await running).to.equal('done')
    expect(said).to.include(`106: ${deployer} has 1 pending, from nonce 0 on; what is not mined within 1 s is replaced`)
    expect(said).to.include(`  replaces what is pending of ${deployer} at nonce 0`)
    expect(await ask('eth_getTransactionReceipt', stuck)).to.equal(null)
    const sent = said.filter((line) => line.startsWith('  done: '))
    expect(await nonces()).to.deep.equal([toHex(sent.length)])
  })

  it('waits for it first, and sends nothing that it has done', async () => {
    writeChains({ replaceAfterMs: 60_000 })
    expect(await run()).to.equal('done')
    const [before] = await nonces()
    said.length = 0
    const args = [addressOf(5), true] as const
    const data = encodeFunctionData({ abi: solverVaultAbi, functionName: 'setOperator', args })
    await stick(parseGwei('30'), { to: written().chains[0]!.vault, data })
    const running = run({ operators: [addressOf(5)] })
    await Promise.race([running, until(() => said.some((line) => line.includes('1 pending')), 'what is said')])
    await ask('evm_mine')
    expect(await running).to.equal('done')
    expect(said.join('\n')).to.contain('nothing to do').and.not.to.contain('done: ')
    expect(await nonces()).to.deep.equal([toHex(Number(before) + 1)])
  })

  it('refuses, naming the setting, where it can be replaced by no fee below the cap', async () => {
    writeChains({ replaceAfterMs: 1_000, maxFeePerGasCap: String(parseGwei('32')) })
    const before = await nonces()
    await stick(parseGwei('30'))
    const said = await refusal(run({ operators: [addressOf(6)] }))
    expect(said).to.match(
      /^Chain 106: maxFeePerGasCap: is 32000000000 wei, and what is pending .* only by more\. Raise it/,
    )
    expect(await nonces()).to.deep.equal(before)
  })

  it('signs nothing where the base fee is above the cap, and says so in a dry run', async () => {
    writeChains({ maxFeePerGasCap: '7', priorityFeePerGas: '7' })
    const options = { operators: [addressOf(6)] }
    const before = await nonces()
    expect(await refusal(run(options))).to.match(
      /^Chain 106: maxFeePerGasCap: is 7 wei, and the base fee \d+, .* Raise it/,
    )
    expect(await run({ ...options, dryRun: true })).to.equal('planned')
    expect(said.join('\n')).to.contain('  it would be refused now. Chain 106: maxFeePerGasCap')
    expect(await nonces()).to.deep.equal(before)
  })
})
