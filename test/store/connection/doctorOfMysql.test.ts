import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createConnection } from 'mysql2/promise'
import { checkDatabase } from '../../../scripts/doctor/checkDatabase.js'
import { type Mariadb, startMariadb } from '../../../scripts/mariadb.js'
import { createDatabase } from '../../../server/store/connection/database.js'
import { newSchema } from '../../support/mysqlSchemas.js'

// What only a MySQL-like server can get wrong; everything else is in ops/doctor*.test.ts.
if (process.env.TEST_DATABASE === 'mysql') {
  describe('npm run doctor on a MySQL-like server', () => {
    /** Of its own, since what is wrong with it would be wrong for every other test. */
    let server: Mariadb
    let fresh: Awaited<ReturnType<typeof newSchema>>

    const folder = mkdtempSync(join(tmpdir(), 'certificate-'))

    before(async function () {
      this.timeout(120_000)
      server = await startMariadb(certificate())
    })
    after(async () => {
      await server?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    /** The server's options for one that it has signed itself, as servers come. */
    function certificate(): string[] {
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
      const made = [
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '2',
        '-subj',
        '/CN=db',
      ]
      const { status, stderr } = spawnSync('openssl', ['req', ...made], { encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
      // The server runs as another user.
      for (const path of [folder, key, cert]) chmodSync(path, 0o755)
      return [`--ssl-key=${key}`, `--ssl-cert=${cert}`]
    }

    beforeEach(async () => {
      fresh = await newSchema(server.url)
      const database = createDatabase({ kind: 'mysql', url: fresh.url })
      await database.migrate()
      await database.close()
    })
    afterEach(() => fresh.drop())

    async function run(sql: string) {
      const connection = await createConnection(fresh.url)
      await connection.query(sql)
      await connection.end()
    }

    async function found(url = fresh.url): Promise<string[]> {
      const { findings, database } = await checkDatabase({ kind: 'mysql', url }, Date.now)
      await database?.close()
      expect(JSON.stringify(findings)).not.to.contain(new URL(url).port)
      return findings.map(({ name }) => name)
    }

    it('finds nothing wrong with one that is as it comes', async () => {
      expect(await found()).to.deep.equal([])
    })

    const settings: { what: string; setting: string; wrong: string; right: string; name: string }[] = [
      { what: 'strict mode that is off', setting: 'sql_mode', wrong: "''", right: 'DEFAULT', name: 'notStrict' },
      {
        what: 'commits that a crash forgets',
        setting: 'innodb_flush_log_at_trx_commit',
        wrong: '2',
        right: '1',
        name: 'notDurable',
      },
      { what: 'a server that takes no writes', setting: 'read_only', wrong: '1', right: '0', name: 'readOnly' },
      {
        what: 'tables made in another engine',
        setting: 'default_storage_engine',
        wrong: 'MyISAM',
        right: 'InnoDB',
        name: 'engine',
      },
      {
        what: 'packets that are too small',
        setting: 'max_allowed_packet',
        wrong: '1048576',
        right: '16777216',
        name: 'smallPackets',
      },
      { what: 'too few connections', setting: 'max_connections', wrong: '20', right: '500', name: 'fewConnections' },
    ]
    for (const { what, setting, wrong, right, name } of settings) {
      it(`finds ${what}`, async () => {
        await run(`SET @@GLOBAL.${setting} = ${wrong}`)
        try {
          expect(await found()).to.deep.equal([`database.${name}`])
        } finally {
          await run(`SET @@GLOBAL.${setting} = ${right}`)
        }
      })
    }

    it('tells whether the connection is encrypted, and warns where it leaves the machine in the open', async () => {
      const said: string[] = []
      const look = async (change: (url: URL) => void) => {
        const url = new URL(fresh.url)
        change(url)
        const config = { kind: 'mysql' as const, url: url.toString() }
        const { findings, database } = await checkDatabase(config, Date.now, (line) => void said.push(line))
        await database?.close()
        return findings.map(({ name }) => name)
      }
      const withTls = (rejectUnauthorized: boolean) => (url: URL) =>
        url.searchParams.set('ssl', JSON.stringify({ rejectUnauthorized }))
      // Linux takes it for this machine, and the doctor for another.
      const elsewhere = (url: URL) => (url.hostname = '0.0.0.0')
      expect(await look(() => undefined)).to.deep.equal([])
      expect(await look(elsewhere)).to.deep.equal(['database.notEncrypted'])
      expect(await look(withTls(true))).to.deep.equal(['database.tls'])
      expect(await look((url) => [elsewhere(url), withTls(false)(url)])).to.deep.equal(['database.notVerified'])
      expect(said[0]).to.equal('the connection to the database is not encrypted')
      expect(said.at(-1)).to.match(/^the connection to the database is encrypted \(TLS_/)
      const database = createDatabase({ kind: 'mysql', url: `${fresh.url}?ssl={"rejectUnauthorized":true}` })
      const failure = await database.migrate().catch((error: Error) => error.message)
      await database.close()
      expect(failure).to.match(/^DATABASE_URL: MySQL .*HANDSHAKE_SSL_ERROR.*NODE_EXTRA_CA_CERTS/)
    })

    it('finds a table that is in another engine', async () => {
      await run('CREATE TABLE other (id INT) ENGINE = MyISAM')
      expect(await found()).to.deep.equal(['database.engine'])
    })

    it('says of a migration that did not end that the next start goes on with it, which it does', async () => {
      await run('UPDATE knex_migrations_lock SET is_locked = 1')
      await run("DELETE FROM knex_migrations WHERE name = '0002_undone_payouts'")
      const config = { kind: 'mysql' as const, url: fresh.url }
      const { findings } = await checkDatabase(config, Date.now)
      const remedy = findings.find(({ name }) => name === 'database.migrationLocked')?.remedy
      expect(remedy).to.contain('it frees the lock itself').and.not.contain('DELETE')
      const database = createDatabase(config)
      await database.migrate()
      await database.close()
      expect(await found()).to.deep.equal([])
    })

    it('finds migrations that are missing', async () => {
      await run('DELETE FROM knex_migrations')
      expect(await found()).to.deep.equal(['database.migrationsPending'])
    })

    it('tells a wrong name, a wrong login and a server that is not there apart', async () => {
      const change = (how: (url: URL) => void) => {
        const url = new URL(fresh.url)
        how(url)
        return found(url.toString())
      }
      expect(await change((url) => (url.pathname = '/nowhere'))).to.deep.equal(['database.missing'])
      expect(await change((url) => (url.password = 'wrong'))).to.deep.equal(['database.accessDenied'])
      expect(await change((url) => (url.port = '9'))).to.deep.equal(['database.unreachable'])
      expect(await change((url) => (url.hostname = 'nowhere.invalid'))).to.deep.equal(['database.unreachable'])
    })

    it('tells of a user who may enter by a socket of the server’s machine alone that he is not let in', async () => {
      await run("CREATE USER local@'%' IDENTIFIED VIA unix_socket")
      try {
        const url = new URL(fresh.url)
        Object.assign(url, { username: 'local', password: '' })
        const { findings } = await checkDatabase({ kind: 'mysql', url: url.toString() }, Date.now)
        expect(findings.map(({ name }) => name)).to.deep.equal(['database.accessDenied'])
        expect(findings[0]!.what).to.contain('ER_ACCESS_DENIED_NO_PASSWORD_ERROR')
        expect(findings[0]!.remedy).to.match(/^Correct user and password/)
      } finally {
        await run("DROP USER local@'%'")
      }
    })
  })
}
