import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { listen } from '../../server/process/listen.js'

describe('a place where the system lets nobody listen', () => {
  const refusal = (host: string, port: number) =>
    listen(createServer(), { host, port, portIn: 'METRICS_PORT' }).then(
      () => 'it listens',
      (error: Error) => error.message,
    )

  it('is told with the setting that names a port which is taken', async () => {
    const server = createServer()
    await listen(server, { host: '127.0.0.1', port: 0, portIn: 'PORT' })
    const { port } = server.address() as AddressInfo
    expect(await refusal('127.0.0.1', port)).to.equal(
      `METRICS_PORT: something else listens on port ${port} of 127.0.0.1`,
    )
    server.close()
  })

  it('is told with the setting that names a host which is none of this machine', async () => {
    expect(await refusal('192.0.2.1', 0)).to.equal('HOST: 192.0.2.1 is no address of this machine')
    expect(await refusal('nowhere.invalid', 0)).to.equal("HOST: the name nowhere.invalid can't be looked up")
  })
})
