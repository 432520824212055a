import { expect } from 'chai'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createDatabase, type Database } from '../../../server/store/connection/database.js'
import { isOutage } from '../../../server/store/connection/databaseErrors.js'
import { freshDatabase } from '../../support/database.js'
import { pause } from '../../support/pause.js'

// SQLite has no server.
if (process.env.TEST_DATABASE === 'mysql') {
  describe('a database server that says nothing any more', () => {
    const silentMs = 500
    let fresh: Awaited<ReturnType<typeof freshDatabase>>
    let database: Database
    let url: URL
    let proxy: ReturnType<typeof createServer>
    const sockets: Socket[] = []
    let isSilent = false

    before(async () => {
      fresh = await freshDatabase()
      url = new URL((fresh.config as { url: string }).url)
      const { hostname, port } = url
      proxy = createServer((client) => {
        const server = connect(Number(port || 3306), hostname)
        sockets.push(client, server)
        for (const socket of [client, server]) socket.on('error', () => undefined)
        // As a host that has vanished: nothing comes back, and nobody hangs up.
        const mayPass = !isSilent
        client.on('data', (data) => void (!(isSilent && mayPass) && server.write(data)))
        server.on('data', (data) => void (!(isSilent && mayPass) && client.write(data)))
      })
      proxy.listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
      database = createDatabase({ kind: 'mysql', url: url.href, silentMs })
    })
    after(async () => {
      await database.close()
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await fresh.drop()
    })

    it('is told as an outage after a while, and the next one that answers is asked anew', async () => {
      expect(await database.clock()).to.be.greaterThan(0)
      isSilent = true
      const startedAt = performance.now()
      const error = await database
        .transact((trx) => trx('steps').select('action_id'))
        .catch((reason: unknown) => reason)
      expect(isOutage(error), String(error)).to.equal(true)
      expect(performance.now() - startedAt).to.be.within(silentMs - 50, 10 * silentMs)
      // Whoever connects now reaches somebody.
      expect(await database.clock()).to.be.greaterThan(0)
    })

    it('ends nothing but the connection on which the pool has said goodbye to it', async () => {
      isSilent = false
      const other = createDatabase({ kind: 'mysql', url: url.href, silentMs })
      await other.clock()
      isSilent = true
      const uncaught: unknown[] = []
      const note = (error: unknown) => uncaught.push(error)
      const others = process.listeners('uncaughtException')
      process.removeAllListeners('uncaughtException').on('uncaughtException', note)
      try {
        await other.close()
        await pause(3 * silentMs)
      } finally {
        process.removeListener('uncaughtException', note)
        for (const listener of others) process.on('uncaughtException', listener)
      }
      expect(uncaught).to.deep.equal([])
    })
  })
}
