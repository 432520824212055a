import { createServer } from 'node:net'
import { expect } from 'chai'
import { createApi } from '../support/api.js'
import { startTestService } from '../support/service.js'

describe('metrics', () => {
  it('are served on a port of their own, and tell of requests, chains and vaults', async () => {
    const port = await freePort()
    const service = await startTestService({ METRICS_PORT: String(port) })
    try {
      await createApi(service.url).get('/chains')
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      expect(text).to.match(
        /http_server_request_duration_seconds_count\{operation="listChains",method="GET",status_code="200"\} 1/,
      )
      expect(text).to.contain('chain_up{chain="31337"} 1')
      expect(text).to.contain('vault_balance{chain="31337",token="usd"} 1000000000000')
      expect((await fetch(`http://127.0.0.1:${port}/other`)).status).to.equal(404)
      expect((await createApi(service.url).get('/metrics')).status).to.equal(404)
    } finally {
      await service.stop()
    }
  })
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
