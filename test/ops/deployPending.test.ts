import { expect } from 'chai'
import { type Address, encodeFunctionData, type Hash, parseGwei, toHex } from 'viem'
import { vaultAddressesOf } from '../../scripts/deploy/vaultOwner.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { create2Data, create2Factory, delegateInitCode } from '../../server/devnet/deployContracts.js'
import { startFaultyNode } from '../chain/faultyNode.js'
import { until } from '../support/until.js'
import { addressOf, useDeployScene } from './deployScene.js'

const deployer = addressOf(0)

describe('npm run deploy where something of the deployer is pending', () => {
  const { anvils, said, writeChains, run, nonces, refusal } = useDeployScene([{ chainId: 106 }])
  const ask = (method: string, ...params: unknown[]) => rpc(anvils[0]!.url, method, params)
  const automine = (isOn: boolean) => ask('evm_setAutomine', isOn)
  const ofVault = (functionName: 'setOperator' | 'setPaused', args: [Address, boolean] | [boolean]) => {
    const data = encodeFunctionData({ abi: solverVaultAbi, functionName, args: args as never })
    return { to: vaultAddressesOf(deployer)(0), data }
  }
  /** No block takes it yet. */
  async function stick(maxFeePerGas: bigint, what: object): Promise<Hash> {
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
    const stuck = await stick(parseGwei('30'), { to: create2Factory, data: create2Data(delegateInitCode()) })
    const running = run()
    await Promise.race([
      running,
      until(async () => (await ask('eth_getTransactionByHash', stuck)) === null, 'the replacement'),
    ])
    await automine(true)
    await ask('evm_mine')
    expect(await running).to.equal('done')
    expect(said).to.include(
      `106: ${deployer} has 1 pending, from nonce 0 on; of what is not mined within 1 s, 1 may be replaced at most`,
    )
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
    await stick(parseGwei('30'), ofVault('setOperator', [addressOf(5), true]))
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
    await stick(parseGwei('30'), ofVault('setOperator', [addressOf(3), true]))
    const said = await refusal(run({ operators: [addressOf(3)] }))
    expect(said).to.match(
      /^Chain 106: maxFeePerGasCap: is 32000000000 wei, and what is pending .* only by more\. Raise it/,
    )
    expect(await nonces()).to.deep.equal(before)
  })

  it('leaves what is no part of it, unless it is told to replace that too', async () => {
    writeChains({ replaceAfterMs: 1_000, maxFeePerGasCap: String(parseGwei('100')) })
    const options = { operators: [addressOf(4)] }
    const before = await nonces()
    const stuck = await stick(parseGwei('30'), ofVault('setPaused', [false]))
    expect(await refusal(run(options))).to.equal(
      `Chain 106: ${stuck}, to ${vaultAddressesOf(deployer)(0)}, is pending of ${deployer} at nonce ${Number(before[0])}, and is ` +
        'nothing that this run has to send. Wait until it is mined, or add --replace-pending, by which it is lost.',
    )
    expect(await ask('eth_getTransactionByHash', stuck)).not.to.equal(null)
    const running = run({ ...options, replacePending: true })
    await Promise.race([
      running,
      until(async () => (await ask('eth_getTransactionByHash', stuck)) === null, 'the replacement'),
    ])
    await ask('evm_mine')
    expect(await running).to.equal('done')
  })

  describe('and nodes that show little of it', () => {
    let node: Awaited<ReturnType<typeof startFaultyNode>>
    before(async () => (node = await startFaultyNode(anvils[0]!.url)))
    after(() => node.stop())

    it('leaves what no node shows, and finds what only its pool does', async () => {
      writeChains({ rpcUrls: [node.url], replaceAfterMs: 1_000, maxFeePerGasCap: String(parseGwei('100')) })
      const stuck = await stick(parseGwei('30'), ofVault('setPaused', [false]))
      const transaction = await ask('eth_getTransactionByHash', stuck)
      let pool: object = { error: { code: -32601, message: 'method not found' } }
      node.behave({
        kind: 'answer',
        answer({ method, params }) {
          if (method === 'txpool_contentFrom') return { ...pool }
          return method === 'eth_getBlockByNumber' && params[0] === 'pending' ? { result: null } : null
        },
      })
      const options = { operators: [addressOf(7)] }
      expect(await refusal(run(options)))
        .to.contain(`no node tells what is pending of ${deployer} at nonce`)
        .and.contain('--replace-pending')
      pool = { result: { pending: { 9: transaction }, queued: {} } }
      expect(await refusal(run(options))).to.contain(`Chain 106: ${stuck}, to `)
    })
  })

  it('needs a key before it waits', async () => {
    writeChains({ replaceAfterMs: 60_000 })
    await stick(parseGwei('30'), ofVault('setPaused', [false]))
    expect(await refusal(run({ signer: null, operators: [addressOf(8)] }))).to.contain('no DEPLOYER_ key')
    expect(said.join('\n')).not.to.contain('pending')
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
