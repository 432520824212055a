import { expect } from 'chai'
import { pino } from 'pino'
import { createMissingSignerCheck } from '../../server/engine/lanes/missingSigners.js'
import { createHealth } from '../../server/services/health.js'
import type { Database } from '../../server/store/connection/database.js'
import { createStore, type Store } from '../../server/store/store.js'
import { aStepRequest } from '../support/aStepRequest.js'
import { type DevChain, startDevChain } from '../chain/devChain.js'
import {
  aBatch,
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
} from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

/** On a real chain and a real database that no engine works on, a minute and a bit later. */
describe('what waits for ever', () => {
  let dev: DevChain
  let database: Database
  let store: Store
  let drop: () => Promise<void>
  before(async () => {
    dev = await startDevChain()
  })
  after(() => dev.stop())
  beforeEach(async () => {
    ;({ database, drop } = await freshDatabase())
    store = createStore(database)
  })
  afterEach(() => drop())

  const now = Date.now()
  const chainId = 31337

  /** The codes of what an operator is told so long after. */
  async function told(afterMs: number, code: string) {
    const chains = new Map([[chainId, dev.chain]])
    const health = createHealth({
      store,
      chains,
      operators: [],
      signerFaults: new Map(),
      unopenedLanes: new Map(),
      unconfiguredCredit: [],
      version: '0',
      now: () => now + afterMs,
    })
    // The first look may take longer than a report waits for it.
    await health.report()
    const { findings } = await health.report()
    return findings.filter((finding) => finding.code === code)
  }

  async function asked() {
    const key = { chainId, token: dev.token, wallet: randomAddress() }
    const request = await store.requestAirdrop({ ...key, amount: 5n, periodMs: 1_000 }, now)
    if (request.outcome !== 'accepted') throw new Error(request.outcome)
    return request.airdrop
  }

  it('is told of, if it is an airdrop that no transaction carries', async () => {
    await asked()
    expect(await told(50_000, 'steps_waiting')).to.deep.equal([])
    const [finding] = await told(70_000, 'steps_waiting')
    expect(finding).to.include({ chainId })
    expect(finding?.message).to.include(`Waiting on chain ${chainId}: 1 airdrop,`)
  })

  it('is told of, if it is a payment that nobody looks for, and not while its user has yet to send it', async () => {
    const user = randomAddress()
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user)] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const order = { action: 'register', hash: randomHash(), signed: false } as const
    await store.requestStep(aStepRequest({ ref, order, needs: [] }), now)
    // It is due by the database's clock, so since a while after `now`.
    const [finding] = await told(600_000, 'steps_waiting')
    expect(finding?.message).to.include('Waiting on chain 1: 1 step,')
    // Nor is what follows it.
    const payout = { action: 'execute', hash: null, signed: false } as const
    await store.requestStep(aStepRequest({ ref: { ...ref, stepIndex: 1 }, order: payout, needs: [] }), now)
    await store.claimDueSteps({ limit: 2, leaseMs: 15_000 })
    await store.postponeStep(ref, 60_000)
    expect(await told(600_000, 'steps_waiting')).to.deep.equal([])
  })

  it('is told of, if it is a reported deposit that nobody looks at', async () => {
    const report = { user: randomAddress(), sender: randomAddress(), token: dev.token, chainId, amount: 5n }
    await store.reportDeposit({ ...report, transactionHash: randomHash(), isDeposit: true }, 1, now)
    expect(await told(50_000, 'steps_waiting')).to.deep.equal([])
    const [finding] = await told(600_000, 'steps_waiting')
    expect(finding?.message).to.include(`Waiting on chain ${chainId}: 1 reported deposit,`)
  })

  it('is told of, if it is a final payment of which nodes do not agree', async () => {
    const user = randomAddress()
    const place = { chainId, token: dev.token }
    const entry = aNewAction({ user, intents: [anOnDemandIntent(user, 100n, [place, place])] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const hash = randomHash()
    const order = { action: 'register', hash, signed: false } as const
    await store.requestStep(aStepRequest({ ref, order, needs: [] }), now)
    const blockNumber = Number((await dev.chain.head()).number)
    await store.noteConfirmations(ref, { hash, blockNumber, confirmations: 1 }, now)
    await store.postponeStep(ref, 60_000)
    await dev.rpc('anvil_mine', '0x6')
    expect(await told(50_000, 'transactions_unsettled'), 'it was looked at a moment ago').to.deep.equal([])
    const [finding] = await told(70_000, 'transactions_unsettled')
    expect(finding?.message).to.include('1 transactions are final').and.to.include(`block ${blockNumber}`)
  })

  it('is not told of, if it is a step that waits for an account which another of its user has', async () => {
    const user = randomAddress()
    const entry = aNewAction({
      user,
      intents: [aSignedIntent([aBatch({ chainId })]), aSignedIntent([aBatch({ chainId })])],
    })
    await store.insertAction(entry)
    const order = { action: 'execute', hash: null, signed: false } as const
    const refs = [stepOf(entry, 0, 0), stepOf(entry, 1, 0)]
    for (const ref of refs) await store.requestStep(aStepRequest({ ref, order, needs: [] }), now)
    await store.takeAccounts([(await store.readStepWork(refs[0]!))!])
    const [finding] = await told(600_000, 'steps_waiting')
    expect(finding?.message, 'the one that has it').to.include(`Waiting on chain ${chainId}: 1 step,`)
  })

  it('is told of, if it is a final transaction of which nobody can say what it has done', async () => {
    const signer = randomAddress()
    await store.openLane({ chainId, signer, chainNonce: 0, ifLedgerIsNew: null }, now)
    const attempt = { raw: '0x00', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, isCancel: false } as const
    const hash = randomHash()
    const payload = { to: dev.config.vault, data: '0x' as const, authorizations: [], gasLimit: 1n, steps: [] }
    const sign = async () => ({ ...attempt, hash })
    const asking = await asked()
    const recorded = await store.recordTransaction({ chainId, signer, ...payload, airdrop: asking, sign }, now)
    if (recorded.outcome !== 'recorded') throw new Error(recorded.outcome)
    const { number, hash: blockHash } = await dev.chain.head()
    const mined = { hash, blockNumber: Number(number), blockHash }
    await store.noteMined(recorded.transaction.id, { ...mined, confirmations: 1 }, now)
    expect(await told(70_000, 'transactions_unsettled'), 'it is not deep enough').to.deep.equal([])
    await dev.rpc('anvil_mine', '0x6')
    expect(await told(50_000, 'transactions_unsettled'), 'it is new').to.deep.equal([])
    const [finding] = await told(70_000, 'transactions_unsettled')
    expect(finding).to.include({ chainId })
    expect(finding?.message).to.include(`1 transactions are final`).and.to.include(`block ${number}`)
    // No key is configured here.
    const [missing] = await told(0, 'signer_missing')
    expect(missing?.message).to.match(/^0x\w{40} has 1 open transactions on chain 31337/)
    const lines: object[] = []
    const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as object) })
    const check = createMissingSignerCheck(chainId, { store, signers: new Map(), now: () => later, log })
    let later = now
    await check()
    later += 60_000
    await check()
    expect(lines, 'once').to.have.length(1)
    expect(lines[0]).to.include({ level: 50, chainId, transactions: 1 })
    const airdrop = { airdrop: asking, hash, paidIn: null, message: 'no' }
    await store.settleTransaction({ transactionId: recorded.transaction.id, mined, results: [], airdrop }, now)
    expect(await told(70_000, 'transactions_unsettled')).to.deep.equal([])
  })
})
