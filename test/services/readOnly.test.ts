import { expect } from 'chai'
import { createConnection } from 'mysql2/promise'
import { startMariadb } from '../../scripts/mariadb.js'
import { createStore } from '../../server/store/store.js'
import { createApi } from '../support/api.js'
import { startTestService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'
import { actionOf, newUser, tokenOf, transferData } from '../support/wallets.js'

/** What answers and can't write. */
describe('a database that takes no writes', function () {
  this.timeout(90_000)

  /** `refuse` and `allow` are the database's, `start` has the service on it. */
  async function goThrough(
    service: TestService,
    { refuse, allow }: { refuse: () => Promise<unknown>; allow: () => Promise<unknown> },
  ): Promise<void> {
    const api = createApi(() => service.url)
    const [a] = service.chains
    const create = async () => {
      const calls = [{ to: tokenOf(a, 'usd').address, value: 0n, data: transferData(a.vault, 1n) }]
      return api.post('/actions', await actionOf(newUser(), a, calls))
    }
    const isReady = async () => (await api.get('/readyz')).status === 200
    expect((await create()).status).to.equal(201)
    expect(await isReady()).to.equal(true)

    await refuse()
    const refused = await until(async () => {
      const reply = await create()
      return reply.status === 201 ? null : reply
    }, 'a request to be refused')
    expect(refused.status).to.equal(503)
    expect(refused.headers.get('retry-after')).to.equal('5')
    await until(async () => !(await isReady()), 'it not to be ready', 10_000, 200)
    const health = await api.get('/health')
    expect(health.status).to.equal(503)
    expect(health.body.data).to.include({ status: 'down', database: 'degraded' })
    const codes = (health.body.data.findings as { code: string }[]).map(({ code }) => code)
    expect(codes[0]).to.equal('database_readonly')

    await allow()
    await until(isReady, 'it to be ready again', 10_000, 200)
    expect((await create()).status).to.equal(201)
  }

  it('is told of, and requests are to come again, where SQLite has no room left', async () => {
    const service = await startTestService({ DATABASE_URL: 'sqlite:' })
    const { knex } = service.database
    try {
      await goThrough(service, {
        async refuse() {
          const [row] = (await knex.raw('PRAGMA page_count')) as { page_count: number }[]
          await knex.raw(`PRAGMA max_page_count = ${row!.page_count}`)
        },
        allow: () => knex.raw('PRAGMA max_page_count = 1000000'),
      })
    } finally {
      await service.stop()
    }
  })

  it('is told of for a while where a write was refused, though a small one still fits', async () => {
    const service = await startTestService({ DATABASE_URL: 'sqlite:' })
    const { knex, write } = service.database
    const { takesWrites } = createStore(service.database)
    try {
      const [row] = (await knex.raw('PRAGMA page_count')) as { page_count: number }[]
      await knex.raw(`PRAGMA max_page_count = ${row!.page_count + 100}`)
      expect(await takesWrites(Date.now())).to.equal(true)
      const large = { name: 'large', value: 'x'.repeat(1_000_000), updated_at: 0 }
      const refused = await write((to) => to('service_state').insert(large)).catch((error: unknown) => error)
      expect(refused).to.include({ code: 'SQLITE_FULL' })
      expect(await takesWrites(Date.now())).to.equal(false)
      await until(() => takesWrites(Date.now()), 'it to be trusted again', 8_000)
    } finally {
      await service.stop()
    }
  })

  it('is told of, and requests are to come again, where MariaDB was made read-only', async () => {
    const mariadb = await startMariadb()
    const root = await createConnection({ uri: mariadb.url, multipleStatements: true })
    try {
      // Who may do everything is not kept from writing.
      await root.query(
        "CREATE DATABASE service; CREATE USER service@'%' IDENTIFIED BY 'secret'; GRANT ALL ON service.* TO service@'%'",
      )
      const url = new URL(mariadb.url)
      Object.assign(url, { username: 'service', password: 'secret', pathname: '/service' })
      const service = await startTestService({ DATABASE_URL: url.toString() })
      try {
        await goThrough(service, {
          refuse: () => root.query('SET GLOBAL read_only = 1'),
          allow: () => root.query('SET GLOBAL read_only = 0'),
        })
        // A start on other chains than the ones that the database knows would end by that.
        await root.query('DELETE FROM service.chain_identities; SET GLOBAL read_only = 1')
        const started = await startTestService({ DATABASE_URL: url.toString() }).catch((error: Error) => error.message)
        expect(started).to.match(/^DATABASE_URL: .* takes no writes: name the server that does/)
        expect(started).not.to.contain('secret')
        await root.query('SET GLOBAL read_only = 0')
      } finally {
        await service.stop()
      }
    } finally {
      await root.end()
      await mariadb.stop()
    }
  })
})
