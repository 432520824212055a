import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'

/** What starting a MariaDB server of our own takes, whether it is alone or a node of a cluster. */

const startWithinMs = 30_000

/** A new temporary directory with an empty database, owned by whom the server runs as. */
export type ServerFolder = { path: string; data: string; user: string }

/** Makes the directory and installs the system tables; throws with what to install when MariaDB is missing. */
export function createServerFolder(prefix: string): ServerFolder {
  const installer = findProgram('mariadb-install-db', 'mysql_install_db')
  if (!installer || !findProgram('mariadbd', 'mysqld')) {
    throw new Error('This needs MariaDB, and it is not installed (Debian: apt-get install mariadb-server).')
  }
  const path = mkdtempSync(join(tmpdir(), prefix))
  const data = join(path, 'data')
  mkdirSync(data)
  const isRoot = userInfo().uid === 0
  // mariadbd refuses to run as root unless told who it is.
  const user = isRoot ? 'mysql' : userInfo().username
  if (isRoot) {
    const { uid, gid } = idsOf('mysql')
    chownSync(path, uid, gid)
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
    // Its temporary tables have the same names in each that runs at the time.
    { encoding: 'utf8', env: { ...process.env, TMPDIR: path } },
  )
  if (installed.status !== 0) {
    rmSync(path, { recursive: true, force: true })
    throw new Error(`mariadb-install-db failed: ${installed.stderr || installed.stdout}`)
  }
  return { path, data, user }
}

/** Starts mariadbd on a folder, reachable on loopback only. */
export function spawnServer(folder: ServerFolder, port: number, options: string[] = []): ChildProcess {
  return spawn(
    findProgram('mariadbd', 'mysqld')!,
    [
      '--no-defaults',
      `--datadir=${folder.data}`,
      `--user=${folder.user}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder.path, 'socket')}`,
      `--pid-file=${join(folder.path, 'pid')}`,
      '--max-connections=500',
      '--skip-name-resolve',
      ...options,
    ],
    { stdio: 'ignore' },
  )
}

export function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

/** A port that nobody listens on; with one named, that one. */
export function freePort(wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

/** Waits until the server answers, and until the answer to a query of it is as wanted. */
export async function untilUp(
  url: string,
  child: ChildProcess,
  wanted?: { query: string; isReady: (rows: Record<string, unknown>[]) => boolean; withinMs: number },
): Promise<void> {
  const withinMs = wanted?.withinMs ?? startWithinMs
  const deadline = Date.now() + withinMs
  for (let cause: unknown; ;) {
    try {
      const connection = await createConnection({ uri: url, connectTimeout: 2_000 })
      try {
        if (!wanted) return
        const [rows] = await connection.query(wanted.query)
        if (wanted.isReady(rows as Record<string, unknown>[])) return
      } finally {
        await connection.end()
      }
    } catch (error) {
      cause = error
      if (child.exitCode !== null) throw new Error(`mariadbd ended with code ${child.exitCode}`, { cause })
    }
    if (Date.now() > deadline) throw new Error(`mariadbd was not ready within ${withinMs} ms`, { cause })
    await new Promise((resolve) => setTimeout(resolve, 50))
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
