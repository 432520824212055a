import { expect } from 'chai'
import type { Database } from '../../server/store/connection/database.js'
import type { Pool } from '../../server/store/connection/openDatabase.js'
import { startTestService } from '../support/service.js'
import { until } from '../support/until.js'

describe('a process that many ask of', () => {
  it('is ready, however many writes have come to the database before its probe', async () => {
    const service = await startTestService({ ROLE: 'api' })
    const { database } = service
    const places = database.kind === 'sqlite' ? 1 : 10
    const ends: (() => void)[] = []
    const write = () =>
      database.transact(async (trx) => {
        await trx('lanes').select('signer')
        await new Promise<void>((end) => ends.push(end))
      })
    const writes = Array.from({ length: places + 20 }, write)
    try {
      await until(() => ends.length === places, 'all connections to be taken')
      const looks = countLooks(database.urgent)
      const probe = fetch(`${service.url}/readyz`)
      await until(() => looks() > 0, 'the look at the database')
      ends[0]!()
      expect((await probe).status).to.equal(200)
      expect(ends.length, 'writes that were let in').to.be.at.most(places + 1)
    } finally {
      for (let index = 0; index < writes.length; index++) {
        await until(() => ends[index], 'the next write')
        ends[index]!()
      }
      await Promise.all(writes)
      await service.stop()
    }
  })
})

/** How many have asked for a connection. */
function countLooks({ knex }: Database): () => number {
  let count = 0
  const client = knex.client as Pool
  const acquire = client.acquireConnection.bind(client)
  client.acquireConnection = () => {
    count++
    return acquire()
  }
  return () => count
}
