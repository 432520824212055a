import { expect } from 'chai'
import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import type { Settings } from '../../server/domain/settings.js'
import type { StepView } from '../../server/domain/views.js'
import { createGasBalances } from '../../server/engine/lanes/gasBalances.js'
import { createChanges } from '../../server/services/changes.js'
import { createDeposits } from '../../server/services/deposits.js'
import { createLastKnown } from '../../server/services/lastKnown.js'
import { createSteps } from '../../server/services/steps.js'
import type { Store } from '../../server/store/store.js'
import { randomHash } from '../support/builders.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'

/** Longer than anything here waits for by itself. */
const hourMs = 3_600_000

describe('a clock that is set back by an hour', function () {
  this.timeout(30_000)
  let offset = 0
  const now = () => Date.now() + offset
  beforeEach(() => (offset = 0))

  const user: Address = `0x${'44'.repeat(20)}`
  const token: Address = `0x${'33'.repeat(20)}`
  const settings = {
    chains: new Map([
      [
        1,
        {
          chainId: 1,
          vault: `0x${'11'.repeat(20)}`,
          delegates: [],
          confirmations: 1,
          tokens: [{ address: token, confirmations: [] }],
        },
      ],
    ]),
    operators: [],
    funders: new Set(),
  } as unknown as Settings
  const nextChange = createChanges().next

  /** Goes back soon after a request was made, which is then held open for less than `withinMs`. */
  async function endsWithin(withinMs: number, request: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const hangsUp = new AbortController()
    const startedAt = performance.now()
    const answered = request(hangsUp.signal)
    await pause(200)
    offset = -hourMs
    const longest = setTimeout(() => hangsUp.abort(), withinMs + 1_000)
    await answered
    clearTimeout(longest)
    expect(performance.now() - startedAt, 'milliseconds').to.be.lessThan(withinMs)
  }

  it('holds no step’s request for longer than it wants to wait', async () => {
    const ref = { actionId: '0193a1c0-7b1e-7f3a-8c52-1d2e3f405162', intentIndex: 0, stepIndex: 0 }
    const view = { ...ref, status: 'executing' } as StepView
    const batch = { chainId: 1, tokenTransfers: [], calls: [] }
    const work = { ref, user, kind: 'payment', intent: { mode: 'non-7702:on-demand', chainBatches: [batch] }, batch }
    const steps = createSteps({
      store: {
        readStepWork: async () => ({ ...work, view: { ...view, status: 'created' } }),
        requestStep: async () => ({ view, isAccepted: true, left: null }),
        readStep: async () => view,
      } as unknown as Store,
      ...{ settings, nextChange, now },
      ...{ droppedTokens: [], takeSeat: () => null, isAccountAwaited: () => false, wake: () => undefined },
      recover: () => Promise.reject(new Error('nothing is signed here')),
    })
    const plainly = { behindFailed: false, signature: null, countFor: null, traceparent: '' }
    const order = { ...plainly, action: 'execute' as const, hash: randomHash() }
    await endsWithin(4_000, (signal) => steps.request(ref, order, 1_000, signal))
  })

  it('holds no report of a deposit for longer either', async () => {
    const pending = { id: 1, status: 'pending', error: null }
    const deposits = createDeposits({
      store: { reportDeposit: async () => pending, readDeposit: async () => pending } as unknown as Store,
      ...{ settings, nextChange, now, wake: () => undefined },
    })
    const movement = {
      user,
      chainId: 1,
      transactionHash: randomHash(),
      sender: user,
      token,
      amount: 1n,
      isDeposit: true,
    }
    await endsWithin(12_000, (signal) => deposits.record(movement, null, signal))
  })

  it('keeps nobody waiting for a first look that takes long', async () => {
    const see = createLastKnown(() => new Promise<string>(() => undefined), 'unseen', now)
    await endsWithin(6_000, () => see())
  })

  it('has signers’ balances read again, and believes no refusal for longer', async () => {
    const [poor, rich] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as [Address, Address]
    let balance = 0n
    const chain = {
      config: { chainId: 1 },
      accounts: async (asked: Address[]) => asked.map((signer) => ({ balance: signer === poor ? balance : 10n })),
    } as unknown as Chain
    const gasBalances = createGasBalances({ signers: new Map([poor, rich].map((signer) => [signer, {}])), now })
    const lanes = [{ signer: poor }, { signer: rich }]
    expect(await gasBalances.thatCanPay(chain, lanes, 5n)).to.deep.equal([{ signer: rich }])
    offset = -hourMs
    balance = 10n
    await until(async () => (await gasBalances.thatCanPay(chain, lanes, 5n)).length === 2, 'the new balance', 5_000)
    gasBalances.refused(chain, poor)
    await pause(20)
    expect(await gasBalances.thatCanPay(chain, lanes, 5n)).to.deep.equal([{ signer: rich }])
    offset = -2 * hourMs
    expect(await gasBalances.thatCanPay(chain, lanes, 5n)).to.deep.equal(lanes)
  })
})
