import { expect } from 'chai'
import type { Settings } from '../../server/domain/settings.js'
import { depositTopic } from '../../server/domain/topics.js'
import type { StepView } from '../../server/domain/views.js'
import { createAirdrops } from '../../server/services/airdrops.js'
import { awaitEnd } from '../../server/services/awaitEnd.js'
import { createChanges, type NextChange } from '../../server/services/changes.js'
import { createDeposits } from '../../server/services/deposits.js'
import type { Database } from '../../server/store/connection/database.js'
import type { Store } from '../../server/store/store.js'
import { randomAddress, randomHash, usdOn2 } from '../support/builders.js'
import { until } from '../support/until.js'
import { useStore } from '../store/useStore.js'

describe('a request that waits', () => {
  const never = new AbortController().signal

  it('looks four times a second at first, and then ever later', async () => {
    let now = 0
    const pauses: number[] = []
    const wait = {
      first: 'open',
      hasEnded: () => false,
      async nextChange(timeoutMs: number) {
        pauses.push(timeoutMs)
        now += timeoutMs
        return undefined
      },
      look: async () => 'open',
    }
    expect(await awaitEnd(wait, { waitMs: 60_000, signal: never, now: () => now })).to.equal('open')
    expect(pauses.slice(0, 10)).to.deep.equal(Array(10).fill(250))
    expect(pauses.slice(11, -1).every((pause, index) => pause > pauses[index + 10]!)).to.equal(true)
    expect(pauses).to.have.length.within(30, 50)
    expect(now).to.equal(60_000)
  })

  it('hears of what changes while it looks', async () => {
    const changes = createChanges()
    const heard: string[] = []
    let stored = 'open'
    let looks = 0
    const wait = {
      first: 'open',
      hasEnded: (view: string) => view === 'done',
      async nextChange(timeoutMs: number, signal: AbortSignal) {
        const told = await changes.next('it', timeoutMs, signal)
        heard.push(told.length > 0 ? 'told' : signal.aborted ? 'over' : 'time is up')
      },
      async look() {
        const read = stored
        looks += 1
        if (looks === 1) {
          stored = 'done'
          changes.tell('it', [{} as StepView])
        }
        return read
      },
    }
    expect(await awaitEnd(wait, { waitMs: 10_000, signal: never, now: Date.now })).to.equal('done')
    expect(looks).to.equal(2)
    expect(heard.slice(0, 2), 'one pause, and no second one').to.deep.equal(['time is up', 'told'])
  })

  it('leaves nobody listening behind, however it ends', async () => {
    const changes = createChanges()
    const listening = new Set<AbortSignal>()
    const asked = (ended: string, waitMs: number, signal = never) => {
      const wait = {
        first: 'open',
        hasEnded: (view: string) => view === ended,
        nextChange: (timeoutMs: number, until: AbortSignal) => {
          listening.add(until)
          return changes.next('it', timeoutMs, until).then(() => undefined)
        },
        look: async () => 'done',
      }
      return awaitEnd(wait, { waitMs, signal, now: Date.now })
    }
    expect(await asked('done', 1_000)).to.equal('done')
    expect(await asked('other', 20)).to.equal('done')
    const hangsUp = new AbortController()
    setTimeout(() => hangsUp.abort(), 20)
    await asked('other', 60_000, hangsUp.signal)
    expect(await asked('other', 0)).to.equal('open')
    expect(listening.size).to.equal(3)
    expect([...listening].every(({ aborted }) => aborted)).to.equal(true)
  })

  describe('for a deposit or an airdrop', () => {
    const token = { id: 'usd', address: usdOn2, confirmations: [], airdrop: { amount: 100n, periodSeconds: 60 } }
    const chain = {
      chainId: 2,
      testnet: true,
      vault: randomAddress(),
      delegates: [],
      confirmations: 1,
      tokens: [token],
    }
    const settings = { chains: new Map([[2, chain]]), operators: [], funders: new Set() } as unknown as Settings
    const wake = () => undefined
    const airdrop = (wallet = randomAddress()) => ({ chainId: 2, token: usdOn2, wallet, amount: 1n, periodMs: 60_000 })
    const report = () => {
      const user = randomAddress()
      return {
        user,
        sender: user,
        chainId: 2,
        token: usdOn2,
        amount: 1n,
        isDeposit: true,
        transactionHash: randomHash(),
      }
    }
    let database: Database
    let store: Store
    useStore((fresh) => ({ database, store } = fresh))

    /** How many statements begin with this while something is done. */
    async function statements(start: string, work: () => Promise<unknown>): Promise<number> {
      let count = 0
      const note = ({ sql }: { sql: string }) => void (sql.startsWith(start) && count++)
      database.knex.on('query', note)
      await work().finally(() => database.knex.removeListener('query', note))
      return count
    }

    it('asks the database 40 times a minute, not 240 times', async () => {
      let time = Date.now()
      const now = () => time
      const nextChange = async (_topic: string, timeoutMs: number) => void (time += timeoutMs)
      const deposits = createDeposits({ store, settings, nextChange, now, wake })
      const airdrops = createAirdrops({ store, settings, nextChange, now, wake })
      const ofDeposit = () => deposits.record(report(), 60_000, never)
      expect(await statements('select * from `deposits` where `id`', ofDeposit)).to.be.within(30, 50)
      const wanted = { chainId: 2, tokenId: 'usd', wallet: randomAddress(), amount: null }
      const ofAirdrop = () => airdrops.request(wanted, 60_000, never)
      expect(await statements('select * from `airdrops` where ((', ofAirdrop)).to.be.within(30, 50)
    })

    it('shares what it asks with others who look at the same time', async () => {
      const taken = await Promise.all(Array.from({ length: 100 }, () => store.reportDeposit(report(), 1, 1)))
      const reported = taken.map(({ refusal: _none, ...deposit }) => deposit)
      const ids = [...reported.map(({ id }) => id), reported[0]!.id, 1_000_000]
      const reports: unknown[] = []
      const readAll = async () => reports.push(...(await Promise.all(ids.map(store.readDeposit))))
      expect(await statements('select', readAll)).to.equal(2)
      expect(reports).to.deep.equal([...reported, reported[0], null])

      const wallets = Array.from({ length: 100 }, randomAddress)
      const asked = await Promise.all(wallets.map((wallet) => store.requestAirdrop(airdrop(wallet), 1)))
      const given = asked.map((answer) => (answer.outcome === 'accepted' ? answer.airdrop : null))
      const rounds = [...given.map((one) => one!), { ...given[0]!, round: 2 }]
      const airdrops: unknown[] = []
      const readRounds = async () => airdrops.push(...(await Promise.all(rounds.map(store.readAirdropRound))))
      expect(await statements('select', readRounds)).to.equal(2)
      expect(airdrops).to.deep.equal([...given, null])
    })

    it('is answered at once by what is told in this process', async () => {
      const changes = createChanges()
      let isListening = false
      // No time is ever up, so that it looks once it is told and not before.
      const nextChange: NextChange = (topic, _timeoutMs, signal) => {
        isListening = true
        return changes.next(topic, 60_000, signal)
      }
      const deposits = createDeposits({ store, settings, nextChange, now: Date.now, wake })
      const mine = report()
      const work = await store.reportDeposit(mine, 1, Date.now())
      const answer = deposits.record(mine, 10_000, never).catch((error: Error) => error.message)
      await until(() => isListening, 'somebody who listens')
      const refusal = { outcome: 'refused', code: 'deposit_mismatch', message: 'it is another' } as const
      await store.settleDeposit(work, refusal, Date.now())
      changes.tell(depositTopic(work.id))
      expect(await answer).to.equal('it is another')
    })
  })
})
