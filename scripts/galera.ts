/**
 * Three MariaDB servers as one Galera cluster on loopback, each in a temporary directory of its own. They keep nothing.
 * `npm run galera` starts them with an empty schema, prints a DATABASE_URL for each and ends them on Ctrl-C.
 */
import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createConnection } from 'mysql2/promise'
import { createServerFolder, endOf, freePort, type ServerFolder, spawnServer, untilUp } from './mariadb/server.js'

export type Galera = {
  /** One per node, without a schema; what is written through one can be read through all. */
  urls: string[]
  /** SIGKILL; the others go on once they have noticed. */
  kill(node: number): Promise<void>
  /** Starts a killed node again and returns when it has caught up with the others. */
  restart(node: number): Promise<void>
  stop(): Promise<void>
}

const nodeCount = 3
/** A joining node copies the whole database of another one. */
const joinWithinMs = 120_000
const provider = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so']

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Node = {
  folder: ServerFolder
  port: number
  /** Three in a row: the group's, and what incremental and full state transfers arrive at. */
  groupPort: number
  child: ChildProcess | null
}

/** Starts the cluster and returns when every node is synced; what fails leaves nothing behind. */
export async function startGalera(): Promise<Galera> {
  const library = provider.find((path) => existsSync(path))
  if (!library || !existsSync('/usr/bin/rsync')) {
    throw new Error(
      'The Galera cluster needs galera-4, rsync and MariaDB, and they are not all installed ' +
        '(Debian: apt-get install mariadb-server galera-4 rsync).',
    )
  }
  const nodes: Node[] = []
  // Also when the process ends without having stopped the cluster, as a failed test run does.
  const abandon = () => {
    for (const node of nodes) node.child?.kill('SIGKILL')
    nodes.forEach(remove)
  }
  const exit = () => process.exit(1)
  process.once('exit', abandon)
  for (const signal of endSignals) process.on(signal, exit)

  const launch = async (node: Node, isFirst: boolean) => {
    const addresses = isFirst ? '' : nodes.map(({ groupPort }) => `127.0.0.1:${groupPort}`).join(',')
    const options = clusterOptions(library, node, `gcomm://${addresses}`)
    const child = (node.child = spawnServer(node.folder, node.port, options))
    await untilUp(urlOf(node), child, synced).catch((error: unknown) => {
      throw new Error(`A Galera node did not start:\n${endOfLog(node)}`, { cause: error })
    })
  }
  const kill = async (node: Node) => {
    node.child?.kill('SIGKILL')
    if (node.child) await endOf(node.child)
    node.child = null
  }
  const stop = async () => {
    // Nothing is kept, so nothing needs to leave in order.
    await Promise.all(nodes.map(kill))
    process.off('exit', abandon)
    for (const signal of endSignals) process.off(signal, exit)
    nodes.forEach(remove)
  }

  try {
    for (let index = 0; index < nodeCount; index++) {
      nodes.push({
        folder: createServerFolder('galera-'),
        port: await freePort(),
        groupPort: await freePorts(3),
        child: null,
      })
    }
    for (const [index, node] of nodes.entries()) await launch(node, index === 0)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    urls: nodes.map(urlOf),
    kill: (index) => kill(nodes[index]!),
    restart: (index) => launch(nodes[index]!, false),
    stop,
  }
}

function remove(node: Node): void {
  // A server that was killed a moment ago may still hold its files.
  rmSync(node.folder.path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

const synced = {
  query: "SHOW STATUS LIKE 'wsrep_local_state_comment'",
  isReady: (rows: Record<string, unknown>[]) => rows[0]?.Value === 'Synced',
  withinMs: joinWithinMs,
}

function clusterOptions(library: string, node: Node, cluster: string): string[] {
  const port = node.groupPort
  return [
    '--wsrep-on=ON',
    `--wsrep-provider=${library}`,
    `--wsrep-cluster-address=${cluster}`,
    '--wsrep-cluster-name=intents-test',
    `--wsrep-node-address=127.0.0.1:${port}`,
    `--wsrep-provider-options=base_port=${port};gmcast.listen_addr=tcp://127.0.0.1:${port};` +
      `ist.recv_addr=127.0.0.1:${port + 1};gcache.size=32M;evs.suspect_timeout=PT3S`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=127.0.0.1:${port + 2}`,
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    // What a node loses by a crash it gets back from the others.
    '--innodb-flush-log-at-trx-commit=2',
    '--innodb-log-file-size=16M',
    `--log-error=${logOf(node)}`,
  ]
}

function urlOf(node: Node): string {
  return `mysql://root@127.0.0.1:${node.port}/`
}

function logOf(node: Node): string {
  return join(node.folder.path, 'log')
}

function endOfLog(node: Node): string {
  const file = logOf(node)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-20).join('\n') : '(no log)'
}

/** The first of several free ports in a row. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await freePort()
    const rest = Array.from({ length: count - 1 }, (_, index) => first + 1 + index)
    const free = await Promise.all(rest.map((port) => freePort(port).catch(() => null)))
    if (!free.includes(null)) return first
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const galera = await startGalera()
  const connection = await createConnection(galera.urls[0]!)
  await connection.query('CREATE DATABASE intents')
  await connection.end()
  for (const url of galera.urls) console.log(`DATABASE_URL=${url}intents`)
  console.log('Ctrl-C ends the cluster and removes it.')
}
