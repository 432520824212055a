import { expect } from 'chai'
import { createHealth } from '../../server/services/health.js'
import type { Store } from '../../server/store/store.js'
import { chainId, type DevChain, startDevChain } from '../chain/devChain.js'
import { until } from '../support/until.js'

/** As of a database whose host has vanished: connections to it neither answer nor fail. */
const silentStore = new Proxy({} as Store, { get: () => () => new Promise(() => undefined) })

describe('health beside a database that is silent', () => {
  let dev: DevChain
  before(async () => (dev = await startDevChain()))
  after(() => dev.stop())

  it('tells that the database is down, and the chains as their nodes tell them', async () => {
    const health = createHealth({
      store: silentStore,
      chains: new Map([[chainId, dev.chain]]),
      operators: [],
      signerFaults: new Map(),
      unopenedLanes: new Map(),
      unconfiguredCredit: [],
      version: '0',
      now: Date.now,
    })
    const chain = async () => (await health.report()).chains[0]!
    const seen = await until(async () => ((await chain()).status === 'down' ? null : chain()), 'the chain', 14_000, 500)
    expect(seen).to.include({ chainId, status: 'ok' }).and.have.property('blockNumber').above(0)
    const { database, findings } = await health.report()
    expect(database).to.equal('down')
    expect(findings.map(({ code }) => code)).to.deep.equal(['database_down'])
  })
})
