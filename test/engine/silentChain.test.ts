import { expect } from 'chai'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { until } from '../support/until.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'
import { actionOf, newUser, tokenOf, transferData } from '../support/wallets.js'

/** More than are visited at once of all chains together, so that some of them wait for places as well. */
const count = 600
/** Far less than they take to be visited once each, since each of those visits waits for its node. */
const soonMs = 3_000

describe('a chain whose only node is silent', () => {
  const { service, api, node } = useServiceBehindNode((chain) => chain)

  /** An action of a new user with one step: he pays nothing to the vault. */
  async function create(chain: ChainConfig): Promise<string> {
    const calls = [{ to: tokenOf(chain, 'usd').address, value: 0n, data: transferData(chain.vault, 0n) }]
    const { body } = await api.post('/actions', await actionOf(newUser(), chain, calls))
    return body.actionId as string
  }

  /** What comes of all of them: side by side in groups, as one after the other they take long on a busy machine. */
  async function inGroups<T, R>(all: readonly T[], act: (one: T) => Promise<R>): Promise<R[]> {
    const results: R[] = []
    for (let from = 0; from < all.length; from += 20) {
      results.push(...(await Promise.all(all.slice(from, from + 20).map(act))))
    }
    return results
  }

  async function statusOf(id: string): Promise<string> {
    return (await api.get(`/actions/${id}/intents/0/steps/0`)).body.status as string
  }

  it('keeps no step of another chain waiting, however many of its own wait, and loses none of them', async () => {
    const [silent, other] = service.chains
    const those = await inGroups(Array<ChainConfig>(count).fill(silent), create)
    const [first, second] = [await create(other), await create(other)]
    node().behave({ kind: 'silence' })
    const asked = await inGroups(those, (id) => api.execute(id, 0, 0, undefined, 0))
    expect(asked.map(({ status }) => status)).to.deep.equal(those.map(() => 202))

    for (const id of [first, second]) {
      const askedAt = performance.now()
      await api.execute(id, 0, 0, undefined, 0)
      await until(async () => (await statusOf(id)) === 'success', 'the step of the other chain', 60_000)
      expect(performance.now() - askedAt, 'milliseconds').to.be.lessThan(soonMs)
    }
    expect(await statusOf(those.at(-1)!)).to.equal('executing')

    node().behave({ kind: 'pass' })
    const { knex } = service.database
    const ended = async () => (await knex('steps').whereNot({ status: 'success' }).first()) === undefined
    await until(ended, 'all of the chain that is back', 120_000, 500)
    expect(await inGroups(those, statusOf)).to.deep.equal(those.map(() => 'success'))
  }).timeout(300_000)
})
