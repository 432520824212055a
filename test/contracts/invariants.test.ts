import { expect } from 'chai'
import fc from 'fast-check'
import { type Abi, encodeFunctionData, type Hex, keccak256, stringToHex, toHex } from 'viem'
import { delegateBytecode, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { batch, chainId, tokenCall } from './chain.js'
import { executeData, fulfillData, noIntent, signIntent } from './intents.js'
import { operation } from './invariantOperations.js'
import { createRun } from './invariantRun.js'
import { createWorld, type World } from './invariantWorld.js'

const seed = Number(process.env.INVARIANT_SEED ?? 20_260_601)
const wanted = Number(process.env.INVARIANT_CALLS ?? 3_000)
const operationsPerRun = 80

describe(`both contracts under random use (seed ${seed}, ${wanted} calls)`, function () {
  this.timeout(Math.max(120_000, wanted * 100))
  let world: World
  before(async () => {
    world = await createWorld()
  })

  it('pay what was asked for once, and run what was signed once, whatever anyone does', async () => {
    const tally = new Map<string, number>()
    const calls = () => tally.get('calls') ?? 0
    for (let round = 0; calls() < wanted; round += 1) {
      const property = fc.asyncProperty(
        fc.array(operation, { minLength: operationsPerRun, maxLength: operationsPerRun }),
        async (operations) => {
          await world.reset()
          const run = createRun(world, tally)
          for (const next of operations) await run.perform(next)
          await run.finish()
        },
      )
      const endOnFailure = process.env.CI !== undefined
      await fc.assert(property, { seed: seed + round, numRuns: 5, endOnFailure, includeErrorInReport: true })
    }
    // Random use that is refused throughout would prove nothing.
    for (const what of ['execute', 'fulfill', 'fulfill with account', 'selfExecute', 'withdraw']) {
      expect(tally.get(`${what}: done`), what).to.be.greaterThan(wanted / 300)
      expect(tally.get(`${what}: refused`), what).to.be.greaterThan(wanted / 600)
    }
    for (const what of ['execute', 'fulfill', 'fulfill with account'].map((step) => `${step} in a bundle`)) {
      expect(tally.get(`${what}: done`), what).to.be.greaterThan(wanted / 1_000)
      expect(tally.get(`${what}: refused`), what).to.be.greaterThan(wanted / 2_000)
    }
    expect(tally.get('replay: refused')).to.be.greaterThan(wanted / 30)
    expect(tally.has('replay: done')).to.equal(false)
  })
})

describe('what the contracts can’t see', () => {
  let world: World
  before(async () => {
    world = await createWorld()
  })
  beforeEach(() => world.reset())

  it('is that another delegate with the same format has run a batch, or will run it again', async () => {
    const { evm, users, stranger, tokens } = world
    const [user] = users
    // Another vendor's delegate: the same code, but its executed batches are kept elsewhere in the account's storage.
    const place = toHex(BigInt(keccak256(stringToHex('crosschain-intents.delegate'))) - 1n).slice(2)
    expect(delegateBytecode).to.contain(place)
    const rival = await evm.send({ from: stranger, data: delegateBytecode.replaceAll(place, '77'.repeat(32)) as Hex })
    const { intent } = await signIntent(user, [batch(tokenCall(tokens.good, stranger, 5n))])
    const bring = () => evm.send({ from: stranger, to: user.address, data: executeData(intent) })
    expect((await bring()).success).to.equal(true)
    expect((await bring()).success).to.equal(false)

    const nonce = await evm.nonceOf(user.address)
    const toRival = { contractAddress: rival.created!, chainId: Number(chainId), nonce }
    await evm.send({ from: stranger, to: stranger, authorizations: [await user.signAuthorization(toRival)] })
    expect((await bring()).success).to.equal(true)
    await world.delegate(user, 'ours')
    expect((await bring()).success).to.equal(false)
    expect(await evm.tokenOf(tokens.good, stranger)).to.equal(10n)
  })

  it('is a fee that a token takes from the vault on top of what it pays', async () => {
    const { evm, vault, stranger, operator } = world
    const token = await world.deployNamed('SurchargeToken')
    const abi = world.abiOf('SurchargeToken') as never
    const mint = encodeFunctionData({ abi, functionName: 'mint', args: [vault, 1_000n] } as never)
    await evm.send({ from: stranger, to: token, data: mint })
    const to = world.recipients[0]!
    const data = fulfillData(toHex(1, { size: 32 }), [{ to, token, amount: 100n }])
    expect((await evm.send({ from: operator, to: vault, data })).success).to.equal(true)
    expect(await evm.tokenOf(token, to)).to.equal(100n)
    expect(await evm.tokenOf(token, vault)).to.equal(899n)
  })

  it('is whether an account under another delegate ran what it says it ran: the vault has paid', async () => {
    const { evm, vault, operator, users, tokens } = world
    const [user] = users
    await world.delegate(user, 'boasting')
    const { intent } = await signIntent(user, [batch(tokenCall(tokens.good, vault, 50n))])
    const to = world.recipients[0]!
    const data = fulfillData(toHex(1, { size: 32 }), [{ to, token: tokens.good, amount: 20n }], user.address, intent)
    expect((await evm.send({ from: operator, to: vault, data })).success).to.equal(true)
    expect(await evm.tokenOf(tokens.good, vault)).to.equal(world.stock - 20n)
  })

  it('is a cap of nothing: zero means without limit, and the owner has to remove the operator or pause', async () => {
    const { evm, vault, operator, owner, tokens } = world
    const cap = encodeFunctionData({ abi: solverVaultAbi, functionName: 'setOutflowCap', args: [tokens.good, 0n] })
    await evm.send({ from: owner, to: vault, data: cap })
    const transfers = [{ to: world.recipients[0]!, token: tokens.good, amount: world.stock }]
    const data = fulfillData(toHex(1, { size: 32 }), transfers, undefined, noIntent)
    expect((await evm.send({ from: operator, to: vault, data })).success).to.equal(true)
  })

  it('is how much gas a call was meant to have: who brings an intent chooses it, and a call may go on without its work', async () => {
    const { evm, users, stranger } = world
    const [user] = users
    const router = await world.deployNamed('ForgivingRouter')
    const abi = world.abiOf('ForgivingRouter') as Abi
    const attempt = encodeFunctionData({ abi, functionName: 'attempt' })
    const { intent } = await signIntent(user, [batch({ to: router, value: 0n, data: attempt })])
    const bring = (gasLimit: bigint) =>
      evm.send({ from: stranger, to: user.address, data: executeData(intent), gasLimit })
    let gas = 60_000n
    while (!(await bring(gas)).success) gas += 5_000n
    const isDone = encodeFunctionData({ abi, functionName: 'done', args: [11n] })
    expect(BigInt(await evm.call(router, isDone)), `with ${gas} gas`).to.equal(0n)
    expect((await bring(12_000_000n)).success, 'the intent is used up').to.equal(false)
  })
})
