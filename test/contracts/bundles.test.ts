import { expect } from 'chai'
import { type Abi, type Address, encodeFunctionData, getAddress, type Hex, parseEventLogs, type RpcLog } from 'viem'
import { bundledGasLimit, bundleGasLimit, bundleShare, decodeBundle, encodeBundle } from '../../server/chain/bundles.js'
import { delegateAbi, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import {
  batch,
  decodeRevert,
  newAccount,
  newKey,
  newRecipient,
  operator,
  owner,
  startTestChain,
  stranger,
  type TestChain,
  tokenCall,
} from './chain.js'
import { batchId, executeData, fulfillData, fulfillManyData, signIntent } from './intents.js'

describe('steps in one transaction of the solver’s vault', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  type Step = { to: Address; data: Hex; gasLimit?: bigint }
  const five = (to: Address) => [{ to, token: chain.usd, amount: 5n }]
  const send = (steps: Step[], gas = 5_000_000n) =>
    chain.send(operator, { to: chain.vault, data: fulfillManyData(steps), gas })
  const pays = (key: Hex, to: Address): Step => ({ to: chain.vault, data: fulfillData(key, five(to)) })

  /** A user's step that gives three tokens to a recipient, after the calls. */
  async function runs(to: Address, ...calls: { to: Address; value: bigint; data: Hex }[]) {
    const account = await chain.newDelegated()
    const { intent, digest } = await signIntent(account, [batch(...calls, tokenCall(chain.usd, to, 3n))])
    return { account: account.address, to: account.address, data: executeData(intent), id: batchId(digest, 0), intent }
  }

  async function contractOf(code: Hex): Promise<{ to: Address; value: bigint; data: Hex }> {
    const to = newRecipient()
    await chain.reader.request({ method: 'anvil_setCode' as never, params: [to, code] as never })
    return { to, value: 0n, data: '0x' }
  }

  function eventsOf(receipt: Awaited<ReturnType<typeof send>>) {
    expect(receipt.status).to.equal('success')
    const ofVault = {
      ...receipt,
      logs: receipt.logs.filter(({ address }) => getAddress(address) === getAddress(chain.vault)),
    }
    const faults = parseEventLogs({ abi: solverVaultAbi, logs: ofVault.logs, eventName: ['StepFailed', 'StepSkipped'] })
    const executed = parseEventLogs({ abi: delegateAbi, logs: receipt.logs, eventName: 'ChainBatchExecuted' })
    const fulfilled = parseEventLogs({ abi: solverVaultAbi, logs: ofVault.logs, eventName: 'Fulfilled' })
    return {
      faults: faults.map(({ eventName, args }) => ({
        name: eventName,
        index: Number(args.index),
        reason: 'reason' in args ? args.reason : null,
      })),
      executed: executed.map(({ args }) => args.chainBatchId),
      fulfilled: fulfilled.map(({ args }) => args.stepKey),
    }
  }

  it('are carried out each with its own event, whether the vault pays in them or not', async () => {
    const to = newRecipient()
    const [key, otherKey] = [newKey(), newKey()]
    const plain = await runs(to)
    const funded = await runs(to)
    const receipt = await send([
      plain,
      pays(key, to),
      { to: chain.vault, data: fulfillData(otherKey, five(to), funded.account, funded.intent) },
    ])
    const events = eventsOf(receipt)
    expect(events.faults).to.deep.equal([])
    expect(events.executed).to.deep.equal([plain.id, funded.id])
    expect(events.fulfilled).to.deep.equal([key, otherKey])
    expect(await chain.balanceOf(chain.usd, to)).to.equal(16n)
    expect(await chain.isFulfilled(key)).to.equal(true)
    // The same again: each says that it has been done, and nothing moves.
    const again = eventsOf(await send([plain, pays(key, to)]))
    expect(again.faults.map(({ index, reason }) => [index, decodeRevert(reason!).name])).to.deep.equal([
      [0, 'DuplicateChainBatch'],
      [1, 'AlreadyFulfilled'],
    ])
    expect(await chain.balanceOf(chain.usd, to)).to.equal(16n)
  })

  it('don’t touch each other when one fails, and it leaves nothing but its reason', async () => {
    const [to, key] = [newRecipient(), newKey()]
    const reverting = await contractOf('0x63deadbeef5f526004601cfd')
    const failing = await runs(to, reverting)
    const funded = await runs(to, reverting)
    const fails = { to: chain.vault, data: fulfillData(key, five(to), funded.account, funded.intent) }
    const good = [await runs(to), await runs(to)]
    const { faults, executed, fulfilled } = eventsOf(await send([good[0]!, failing, fails, good[1]!]))
    expect(faults.map(({ name, index }) => [name, index])).to.deep.equal([
      ['StepFailed', 1],
      ['StepFailed', 2],
    ])
    for (const { reason } of faults) {
      const { name, args } = decodeRevert(reason!)
      expect([name, args[4]]).to.deep.equal(['CallReverted', '0xdeadbeef'])
    }
    expect(executed).to.deep.equal(good.map(({ id }) => id))
    expect(fulfilled).to.deep.equal([])
    expect(await chain.isFulfilled(key)).to.equal(false)
    expect(await chain.isProcessed(failing.account, failing.id)).to.equal(false)
    expect(await chain.balanceOf(chain.usd, to)).to.equal(6n)
  })

  it('can’t take the others’ gas, or make a reason that is too long to log', async () => {
    const to = newRecipient()
    const steps = [
      { ...(await runs(to, await contractOf('0x5b5f56'))), gasLimit: 200_000n },
      { ...(await runs(to, await contractOf('0x61c3505ffd'))), gasLimit: 200_000n },
      // Hands back 100,000 bytes where a number is expected.
      { to: (await contractOf('0x620186a05ff3')).to, data: executeData((await runs(to)).intent), gasLimit: 200_000n },
      { ...(await runs(to)), gasLimit: 200_000n },
    ]
    const receipt = await send(steps, 1_000_000n)
    const { faults, executed } = eventsOf(receipt)
    expect(faults.map(({ name, index }) => [name, index])).to.deep.equal([
      ['StepFailed', 0],
      ['StepFailed', 1],
      ['StepFailed', 2],
    ])
    for (const { reason } of faults) expect(reason!.length).to.be.at.most(2 + 2 * 1_024)
    expect(faults[1]!.reason!.length).to.equal(2 + 2 * 1_024)
    expect(executed).to.deep.equal([(steps[3] as unknown as { id: Hex }).id])
  })

  it('are left out, and not failed, where their gas can’t be handed on in full', async () => {
    const to = newRecipient()
    const steps = [await runs(to), await runs(to), await runs(to)].map((step) => ({ ...step, gasLimit: 300_000n }))
    // Whatever little the transaction has: a step runs with all its gas, or not at all.
    const outcomes = new Set<string>()
    for (let gas = 250_000n; gas <= 500_000n; gas += 10_000n) {
      const data = fulfillManyData(steps)
      const call = {
        method: 'eth_simulateV1',
        params: [
          {
            blockStateCalls: [
              { calls: [{ from: operator.address, to: chain.vault, data, gas: `0x${gas.toString(16)}` }] },
            ],
          },
          'latest',
        ],
      }
      const [block] = (await chain.reader.request(call as never)) as unknown as [
        { calls: [{ status: Hex; logs: RpcLog[] }] },
      ]
      const { status, logs } = block!.calls[0]
      expect(status).to.equal('0x1')
      const faults = parseEventLogs({ abi: solverVaultAbi, logs, eventName: ['StepFailed', 'StepSkipped'] })
      expect(faults.map(({ eventName }) => eventName)).not.to.include('StepFailed')
      outcomes.add(`${3 - faults.length} done`)
    }
    expect([...outcomes]).to.include.members(['0 done', '1 done'])
    expect(outcomes.size).to.be.greaterThan(2)
    const generous = eventsOf(await send(steps))
    expect(generous.executed).to.have.length(3)
  })

  it('fit into the limit that is signed for them, though all of them use all their gas', async () => {
    const burner = await contractOf('0x5b5f56')
    const steps = []
    for (let index = 0; index < 20; index += 1) steps.push(await runs(newRecipient(), burner))
    const calls = steps.map(({ to, data }) => ({ to, data, gasLimit: bundledGasLimit(90_000n) }))
    const gas = bundleGasLimit(calls.map((call) => bundleShare(call, 0)))
    const receipt = await chain.send(operator, { to: chain.vault, data: encodeBundle(calls), gas })
    const { faults } = eventsOf(receipt)
    expect(faults.map(({ name }) => name)).to.deep.equal(Array(20).fill('StepFailed'))
    expect(decodeBundle(encodeBundle(calls), chain.vault.toLowerCase() as Address)).to.deep.equal(
      calls.map((call) => ({ ...call, to: call.to.toLowerCase() })),
    )
  })

  it('fit into it, as many as there may be, with the longest reasons that are logged', async () => {
    // Goes round until 15,000 gas are left, and reverts with 1,024 bytes.
    const flooder = await contractOf('0x5b5a613a98105f576104005ffd')
    const { data } = await runs(newRecipient())
    const calls = Array.from({ length: 100 }, () => ({ to: flooder.to, data, gasLimit: 60_000n }))
    const gas = bundleGasLimit(calls.map((call) => bundleShare(call, 0)))
    const receipt = await chain.send(operator, { to: chain.vault, data: encodeBundle(calls), gas })
    const { faults } = eventsOf(receipt)
    expect(faults.map(({ name, reason }) => [name, reason?.length])).to.deep.equal(
      Array(100).fill(['StepFailed', 2 + 2 * 1_024]),
    )
  })

  it('prove that an account ran something: one without code, or that says nothing, has failed', async () => {
    const account = newAccount()
    const { intent } = await signIntent(account, [batch(tokenCall(chain.usd, newRecipient(), 1n))])
    const data = executeData(intent)
    const stripped = await chain.newDelegated()
    const empty = await signIntent(stripped, [batch(tokenCall(chain.usd, newRecipient(), 1n))], { carried: [] })
    const { faults } = eventsOf(
      await send([
        { to: account.address, data },
        { to: await chain.deploy('EmptyDelegate'), data },
        { to: stripped.address, data: executeData(empty.intent) },
      ]),
    )
    expect(faults.map(({ reason }) => decodeRevert(reason!).name)).to.deep.equal([
      'AccountNotDelegated',
      'BatchNotExecuted',
      'BatchNotExecuted',
    ])
  })

  it('are taken from operators only, and pay nothing while the vault is paused', async () => {
    const [to, key] = [newRecipient(), newKey()]
    const data = fulfillManyData([pays(key, to)])
    for (const from of [stranger.address, owner.address]) {
      expect(await chain.revertOf(from, chain.vault, data)).to.deep.equal({ name: 'NotOperator', args: [from] })
    }
    const plain = await runs(to)
    await chain.ownerCall('setPaused', [true])
    const { faults, executed } = eventsOf(await send([pays(key, to), plain]))
    await chain.ownerCall('setPaused', [false])
    expect(faults.map(({ index, reason }) => [index, decodeRevert(reason!).name])).to.deep.equal([[0, 'Paused']])
    expect(executed).to.deep.equal([plain.id])
    expect(await chain.balanceOf(chain.usd, to)).to.equal(3n)
  })

  it('have a way into the vault that nobody but itself may take', async () => {
    const { args, functionName } = { functionName: 'fulfillStep', args: stepArguments(newKey(), newRecipient()) }
    const data = encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args })
    for (const from of [stranger.address, owner.address, operator.address]) {
      expect(await chain.revertOf(from, chain.vault, data)).to.deep.equal({ name: 'OnlySelf', args: [from] })
    }
  })

  it('can’t be re-entered by what a step calls, not even when its account is an operator', async () => {
    const to = newRecipient()
    const account = await chain.newDelegated()
    await chain.ownerCall('setOperator', [account.address, true])
    for (const inner of [fulfillData(newKey(), five(to)), fulfillManyData([pays(newKey(), to)])]) {
      const { intent } = await signIntent(account, [batch({ to: chain.vault, value: 0n, data: inner })])
      const funded = fulfillData(newKey(), five(to), account.address, intent)
      for (const step of [
        { to: account.address, data: executeData(intent) },
        { to: chain.vault, data: funded },
      ]) {
        const { faults } = eventsOf(await send([step]))
        const { args } = decodeRevert(faults[0]!.reason!)
        expect(decodeRevert(args[4] as Hex).name).to.equal('ReentrancyGuardReentrantCall')
      }
    }
    await chain.ownerCall('setOperator', [account.address, false])
    expect(await chain.balanceOf(chain.usd, to)).to.equal(0n)
  })

  it('count together against a token’s daily cap', async () => {
    const to = newRecipient()
    await chain.ownerCall('setOutflowCap', [chain.usd, 12n])
    await chain.passTime(86_400n)
    const { faults, fulfilled } = eventsOf(await send([1, 2, 3].map(() => pays(newKey(), to))))
    await chain.ownerCall('setOutflowCap', [chain.usd, 0n])
    expect(faults.map(({ index, reason }) => [index, decodeRevert(reason!).name])).to.deep.equal([
      [2, 'OutflowCapExceeded'],
    ])
    expect(fulfilled).to.have.length(2)
    expect(await chain.balanceOf(chain.usd, to)).to.equal(10n)
  })

  function stepArguments(key: Hex, to: Address): readonly unknown[] {
    const intent = { signatureType: '', signature: '0x', nbf: 0n, exp: 0n, chainBatches: [] }
    return [key, five(to), '0x0000000000000000000000000000000000000000', intent]
  }
})
