import { expect } from 'chai'
import { type Address, createPublicClient, type Hash, type Hex, http, parseEther, parseGwei, toHex } from 'viem'
import { planChain } from '../../scripts/deploy/planChain.js'
import { sendSteps } from '../../scripts/deploy/sendSteps.js'
import { createSigner } from '../../server/chain/keys/signer.js'
import { devKey } from '../../server/devnet/accounts.js'
import { type Anvil, rpc } from '../../server/devnet/anvil.js'
import { startFaultyNode } from '../chain/faultyNode.js'
import { until } from '../support/until.js'
import { addressOf, useDeployScene } from './deployScene.js'

const deployer = addressOf(0)
/** Whose only transaction makes the CREATE2 factory. */
const factoryKey = '0x3fab184622dc19b6109349b94811493bf2a45362'

describe('npm run deploy where a chain moves meanwhile', () => {
  const { anvils, said, writeChains, run, written, nonces, refusal } = useDeployScene([
    { chainId: 107, create2Factory: false },
    { chainId: 108 },
  ])
  const options = { replacePending: false, say: (line: string) => void said.push(line) }

  it('sends nothing again that was mined while it waited for another chain', async () => {
    writeChains({ replaceAfterMs: 1_500, maxFeePerGasCap: String(parseGwei('100')) })
    const fees = { maxFeePerGas: toHex(parseGwei('30')), maxPriorityFeePerGas: toHex(parseGwei('30')) }
    const payment = { from: deployer, to: factoryKey, value: toHex(parseEther('0.01')), ...fees }
    for (const { url } of anvils) {
      await rpc(url, 'evm_setAutomine', [false])
      await rpc(url, 'eth_sendTransaction', [payment])
    }
    const running = run()
    await Promise.race([running, until(() => said.some((line) => /^108: .* 1 pending/.test(line)), 'the other chain')])
    for (const { url } of anvils) {
      await rpc(url, 'evm_setAutomine', [true])
      await rpc(url, 'evm_mine', [])
    }
    expect(await running).to.equal('done')
    expect(said.join('\n')).to.contain('done: deploy the CREATE2 factory').and.not.to.contain('done: pay for')
    // One payment, of which the factory's own deployment has taken most.
    const left = (await rpc(anvils[0]!.url, 'eth_getBalance', [factoryKey, 'latest'])) as Hex
    expect(BigInt(left) < parseEther('0.01')).to.equal(true)
  })

  /** Of one more operator, or of another vault, beside what `run` has made. */
  async function planOf({ url }: Anvil, operator: number, vaultNumber = 0) {
    const reader = createPublicClient({ transport: http(url), pollingInterval: 50 })
    const wanted = {
      deployer,
      owner: deployer,
      operators: [addressOf(operator)],
      areNamed: false,
      isMadeNow: () => false,
      vaultNumber,
    }
    async function mined(from: number, what: { to: Address; data?: Hex }) {
      const hash = (await rpc(url, 'eth_sendTransaction', [{ from: addressOf(from), ...what }])) as Hash
      await reader.waitForTransactionReceipt({ hash })
    }
    return { reader, mined, plan: await planChain(written().chains[1]!, reader, wanted) }
  }

  it('has what is left planned anew once something else of the deployer is mined', async () => {
    await run()
    const { reader, mined, plan: stale } = await planOf(anvils[1]!, 5)
    await mined(0, { to: deployer })
    const before = await nonces()
    expect(await sendSteps(stale, reader, createSigner(devKey(0)), options)).to.equal(false)
    expect(await nonces()).to.deep.equal(before)
  })

  it('sends nothing that would be reverted, as what somebody else has deployed', async () => {
    await run()
    const { reader, mined, plan: stale } = await planOf(anvils[1]!, 5, 4)
    const { to, data } = stale.steps[0]!
    await mined(4, { to, data })
    const before = await nonces()
    const sending = sendSteps(stale, reader, createSigner(devKey(0)), options)
    expect(await refusal(sending)).to.contain('would be reverted')
    expect(await nonces()).to.deep.equal(before)
  })
})

describe('npm run deploy and what nodes say of what they have', () => {
  const { anvils, writeChains, run, nonces, refusal } = useDeployScene([{ chainId: 109, create2Factory: false }])
  let node: Awaited<ReturnType<typeof startFaultyNode>>
  before(async () => (node = await startFaultyNode(anvils[0]!.url)))
  after(() => node.stop())
  beforeEach(() => writeChains({ rpcUrls: [node.url] }))

  function answerSends(message: string, isTaken: boolean) {
    node.behave({
      kind: 'answer',
      answer({ method, params }) {
        if (method !== 'eth_sendRawTransaction') return null
        if (isTaken) void rpc(anvils[0]!.url, method, params)
        return { error: { code: -32000, message } }
      },
    })
  }

  it('is refused by a nonce that was used meanwhile', async () => {
    answerSends('nonce too low', false)
    expect(await refusal(run())).to.match(/^Chain 109: pay for .*: its nonce was used meanwhile\. Run this again\.$/)
    expect(await nonces()).to.deep.equal(['0x0'])
  })

  it('takes for sent what a node has already, as where its answer was lost', async () => {
    answerSends('already known', true)
    expect(await run()).to.equal('done')
  })

  it('plans by the newest block, where estimates are of the pending one unless it is named', async () => {
    node.behave({
      kind: 'answer',
      answer: ({ method, params }) =>
        method === 'eth_estimateGas' && params[1] !== 'latest'
          ? { error: { code: 3, message: 'execution reverted', data: '0x' } }
          : null,
    })
    expect(await run({ vaultNumber: 1, replaceVault: true })).to.equal('done')
  })
})
