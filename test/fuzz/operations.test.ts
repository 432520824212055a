import { expect } from 'chai'
import fc from 'fast-check'
import { createApi } from '../support/api.js'
import { startTestService, type TestService } from '../support/service.js'
import { validateReply } from '../support/validateReply.js'
import { newUser, onDemandIntent, signedIntent, tokenOf } from '../support/wallets.js'
import {
  type KnownPaths,
  loadOperations,
  mutatedRequests,
  type SpecOperation,
  validRequests,
} from './operationRequests.js'
import { createRawClient, type RawClient, type RawReply, type RawRequest } from './rawClient.js'
import { createRowCounter } from './rowCounts.js'
import type { Known } from './schemaArbitrary.js'

const seed = Number(process.env.FUZZ_SEED ?? 20_261_121)
const runs = Number(process.env.FUZZ_RUNS ?? 25)

/** How long an answer is waited for that comes at once, and one that the chain may be waited for. */
const patience = { atOnceMs: 10_000, heldOpenMs: 300 }
/** On a machine that others use too. */
const slowest = { p99Ms: 1_000 }

/** These wait for the chain when there is something to wait for, and then the client here hangs up. */
const heldOpen = new Set(['recordDeposit', 'requestAirdrop', 'executeStep'])

const operations = await loadOperations()

describe(`requests made from the spec (FUZZ_SEED=${seed} FUZZ_RUNS=${runs})`, function () {
  this.timeout(120_000 + runs * 2_000)

  let service: TestService
  let client: RawClient
  let countRows: () => Promise<Record<string, number>>
  let known: Known
  let paths: KnownPaths
  const durations: number[] = []

  before(async () => {
    // Without the engine nothing is written but by requests, so that the rows tell which of them did.
    service = await startTestService({ ROLE: 'api' })
    client = createRawClient(service.url)
    countRows = await createRowCounter(service.database)
    const [first, second] = service.chains
    const user = newUser()
    const usd = (chain: typeof first) => tokenOf(chain, 'usd').address
    const hash = `0x${'ab'.repeat(32)}`
    const pay = { from: user.address, to: first.vault, token: usd(first), amount: 100n }
    const receive = { from: 'solver', to: user.address, token: usd(second), amount: 100n }
    const actions = [
      onDemandIntent([
        { chainId: first.chainId, tokenTransfers: [pay] },
        { chainId: second.chainId, tokenTransfers: [receive] },
      ]),
      await signedIntent(user, [
        { chainId: first.chainId, tokenTransfers: [], calls: [{ to: user.address, value: 1n, data: '0x' }] },
      ]),
    ]
    const actionIds: string[] = []
    for (const intent of actions) {
      const created = await createApi(service.url).post('/actions', {
        user: user.address,
        chainAuthorizations: [],
        intents: [intent],
      })
      expect(created.status, JSON.stringify(created.body)).to.equal(201)
      actionIds.push(created.body.actionId as string)
    }
    known = {
      addresses: [user.address, user.address.toLowerCase(), first.vault, usd(first), usd(second), first.delegates[0]!],
      hashes: [hash, `0x${'AB'.repeat(32)}`],
      chainIds: [first.chainId, second.chainId],
    }
    paths = {
      actionId: actionIds,
      intentIndex: ['0', '1'],
      stepIndex: ['0', '1'],
      stepId: ['0', '1'],
      tokenId: ['usd', 'weth', usd(first)],
      txHash: known.hashes,
      intentId: [...actionIds, ...actionIds.map((id) => `${id}-0`), ...actionIds.map((id) => `${id}/0`)],
      cursor: actionIds.map((id) => Buffer.from(id).toString('base64url')),
    }
  })
  after(async () => {
    client?.close()
    await service?.stop()
  })

  for (const operation of operations) {
    describe(operation.operationId, () => {
      it('answers what the spec allows as the spec says', () =>
        check(operation, validRequests(operation, known, paths)))

      it('refuses what is wrong as the spec says', () => check(operation, mutatedRequests(operation, known, paths)))
    })
  }

  describe('after all of them,', () => {
    it('99 in 100 were answered within the limit', () => {
      const sorted = durations.toSorted((a, b) => a - b)
      expect(sorted.length).to.be.greaterThan(operations.length * runs)
      expect(sorted[Math.floor(sorted.length * 0.99)], 'the 99th percentile, ms').to.be.lessThan(slowest.p99Ms)
    })

    it('the service is still ready', async () => {
      const health = await createApi(service.url).get('/readyz')
      expect(health.status).to.equal(200)
    })
  })

  async function check(operation: SpecOperation, requests: fc.Arbitrary<RawRequest>): Promise<void> {
    const maybeHeld = heldOpen.has(operation.operationId)
    let rows = await countRows()
    const property = fc.asyncProperty(requests, async (request) => {
      const reply = await client.send(request, maybeHeld ? patience.heldOpenMs : patience.atOnceMs)
      if (reply.outcome === 'held') expect(maybeHeld, 'left without an answer').to.equal(true)
      else inspect(request, reply)
      const before = rows
      rows = await countRows()
      const mayStore = reply.outcome === 'held' || (request.method === 'POST' && reply.status < 300)
      if (!mayStore) expect(rows, 'rows by table').to.deep.equal(before)
    })
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: process.env.CI !== undefined })
  }

  function inspect(request: RawRequest, reply: Extract<RawReply, { outcome: 'answered' }>): void {
    durations.push(reply.ms)
    expect(reply.status, JSON.stringify(reply.body)).to.be.lessThan(500)
    validateReply(request.method, request.path, reply)
    if (reply.status < 400) return
    expect(reply.type).to.contain('application/json')
    const { error } = reply.body as { error: unknown }
    expect(error, JSON.stringify(reply.body)).to.be.ok
  }
})
