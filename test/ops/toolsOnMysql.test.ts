import { expect } from 'chai'
import { createConnection } from 'mysql2/promise'
import { createDatabase } from '../../server/store/connection/database.js'
import { newSchema } from '../support/mysqlSchemas.js'
import { runTool } from './runTool.js'

/** What `tools.test.ts` is for SQLite, where a server makes a difference. */
if (process.env.TEST_DATABASE === 'mysql') {
  describe('the tools beside a service on a database server', function () {
    this.timeout(60_000)
    let fresh: Awaited<ReturnType<typeof newSchema>>
    let named: URL
    beforeEach(async () => {
      fresh = await newSchema()
      named = new URL(fresh.url)
    })
    afterEach(() => fresh.drop())

    it('name the database without its login', async () => {
      const { status, stdout, stderr } = await runTool('doctor', [], { DATABASE_URL: fresh.url })
      expect(status, stderr).to.equal(0)
      expect(stdout.split('\n')[0]).to.contain(`MySQL ${named.host}${named.pathname} and`).and.not.contain('root')
    })

    it('say that a password is wrong', async () => {
      named.password = 'hunter2'
      const { status, stderr } = await runTool('operate', ['status'], { DATABASE_URL: named.toString() })
      expect(status).to.equal(1)
      expect(stderr).to.match(/^DATABASE_URL: MySQL [^\n]+ER_ACCESS_DENIED_ERROR[^\n]+password[^\n]+\n$/)
      expect(stderr).not.to.contain('hunter2')
    })

    it('make no tables, and no database', async () => {
      const refused = async () => {
        const { status, stderr } = await runTool('operate', ['status'], { DATABASE_URL: named.toString() })
        expect(status, stderr).to.equal(1)
        expect(stderr).to.match(/^No service has ever used this database \(MySQL [^\n]+\)[^\n]+\n$/)
      }
      await refused()
      const root = await createConnection(fresh.url)
      const [tables] = await root.query('SHOW TABLES')
      await root.end()
      expect(tables).to.deep.equal([])
      named.pathname += '_none'
      await refused()
    })

    it('say what a user of the database lacks who may only read, and not in its language', async () => {
      const database = createDatabase({ kind: 'mysql', url: fresh.url })
      await database.migrate()
      await database.close()
      const reader = `reader_${named.pathname.slice(1)}`
      const root = await createConnection(fresh.url)
      await root.query(`CREATE USER ${reader}@'%'`)
      await root.query(`GRANT SELECT ON ${named.pathname.slice(1)}.* TO ${reader}@'%'`)
      named.username = reader
      const { status, stderr } = await runTool('operate', ['drain', 'on'], { DATABASE_URL: named.toString() })
      await root.query(`DROP USER ${reader}@'%'`)
      await root.end()
      expect(status).to.equal(1)
      expect(stderr).to.match(/^DATABASE_URL: MySQL [^\n]+ER_TABLEACCESS_DENIED_ERROR[^\n]+GRANT ALL[^\n]+\n$/)
    })
  })
}
