/** A MariaDB server of its own on a temporary directory, for tests; it keeps nothing and meets nobody else's. */
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'

export type Mariadb = {
  /** Without a schema; the user may create them. */
  url: string
  stop(): Promise<void>
}

const startWithinMs = 30_000

export async function startMariadb(): Promise<Mariadb> {
  const server = findProgram('mariadbd', 'mysqld')
  const installer = findProgram('mariadb-install-db', 'mysql_install_db')
  if (!server || !installer) {
    throw new Error('The MySQL suite needs MariaDB, and it is not installed (Debian: apt-get install mariadb-server).')
  }
  const folder = mkdtempSync(join(tmpdir(), 'mariadb-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  const isRoot = userInfo().uid === 0
  // mariadbd refuses to run as root unless told who it is.
  const user = isRoot ? 'mysql' : userInfo().username
  if (isRoot) {
    const { uid, gid } = idsOf('mysql')
    chownSync(folder, uid, gid)
    chownSync(data, uid, gid)
  }
  const installed = spawnSync(
    installer,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--user=${user}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    { encoding: 'utf8' },
  )
  if (installed.status !== 0) throw new Error(`mariadb-install-db failed: ${installed.stderr || installed.stdout}`)

  const port = await freePort()
  const child = spawn(
    server,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--user=${user}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      '--max-connections=500',
      '--skip-name-resolve',
    ],
    { stdio: 'ignore' },
  )
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = `mysql://root@127.0.0.1:${port}/`
  await untilUp(url, () => child.exitCode)
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function findProgram(...names: string[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']
  for (const name of names) {
    const folder = folders.find((entry) => existsSync(join(entry, name)))
    if (folder) return join(folder, name)
  }
  return null
}

function idsOf(user: string): { uid: number; gid: number } {
  const read = (flag: string) => Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim())
  return { uid: read('-u'), gid: read('-g') }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

async function untilUp(url: string, exitCode: () => number | null): Promise<void> {
  const deadline = Date.now() + startWithinMs
  for (;;) {
    try {
      const connection = await createConnection(url)
      await connection.end()
      return
    } catch (error) {
      if (exitCode() !== null) throw new Error(`mariadbd ended with code ${exitCode()}`, { cause: error })
      if (Date.now() > deadline) throw new Error(`mariadbd did not answer within ${startWithinMs} ms`, { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
