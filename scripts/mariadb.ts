/** A MariaDB server of its own on a temporary directory, for tests; it keeps nothing and meets nobody else's. */
import { rmSync } from 'node:fs'
import { createServerFolder, endOf, freePort, spawnServer, untilUp } from './mariadb/server.js'

export type Mariadb = {
  /** Without a schema; the user may create them. */
  url: string
  stop(): Promise<void>
}

/** `options` are the server's own. */
export async function startMariadb(options: string[] = []): Promise<Mariadb> {
  const folder = createServerFolder('mariadb-')
  const port = await freePort()
  const child = spawnServer(folder, port, options)
  const url = `mysql://root@127.0.0.1:${port}/`
  await untilUp(url, child)
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await endOf(child)
      rmSync(folder.path, { recursive: true, force: true })
    },
  }
}
