import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rpc } from '../../server/devnet/anvil.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'
import { createApi } from '../support/api.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { pause } from '../support/pause.js'
import { spawnService } from '../support/spawnedService.js'
import { until } from '../support/until.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'
import { actionOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

const method = 'eth_sendRawTransaction'
const sendsTo = (node: FaultyNode) => node.requests.flat().filter((request) => request.method === method).length

describe('a node that answers what is read, and nothing that is sent', function () {
  this.timeout(90_000)

  describe('while transactions are in no block', () => {
    const { service, api, node } = useServiceBehindNode((chain) => chain, { operators: 1 })
    const url = () => node().upstream!
    const open = () => service.database.knex('transactions').where({ status: 'open' })

    it('keeps nobody waiting for what the blocks bring', async () => {
      const [chain] = service.chains
      const usd = tokenOf(chain, 'usd').address
      await rpc(url(), 'evm_setAutomine', [false])
      const steps: string[] = []
      for (let index = 1; index <= 4; index++) {
        const user = newUser()
        const calls = [{ to: usd, value: 0n, data: transferData(chain.vault, 0n) }]
        const { actionId } = (await api.post('/actions', await actionOf(user, chain, calls))).body
        await api.execute(actionId, 0, 0, undefined, 0)
        await until(async () => (await open().whereNotNull('sent_at')).length === index, 'the transaction to be sent')
        steps.push(`/actions/${actionId}/intents/0/steps/0`)
      }
      node().behave({ kind: 'silence', method })
      const before = sendsTo(node())
      await open().update({ due_at: 1 })
      await until(() => sendsTo(node()) > before, 'one to be sent again')

      await rpc(url(), 'evm_mine', [])
      // A node is waited for 10 s when something is sent.
      for (const step of steps) await until(async () => (await api.get(step)).body.status === 'success', step, 6_000)
    })
  })

  describe('while the service is told to stop', () => {
    let folder: string
    let devnet: Devnet
    let node: FaultyNode

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'silent-'))
      devnet = await startDevnet({ dataDir: join(folder, 'chains') })
      node = await startFaultyNode(devnet.chains[0]!.rpcUrls[0]!)
    })
    after(async () => {
      await node?.stop()
      await devnet?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    it('is not waited for, and the step is carried out by the next start', async () => {
      const [chain, other] = devnet.chains
      const chains = [{ ...chain!, rpcUrls: [node.url] }, other!]
      const env = { ...chainsFileOf({ ...devnet, chains }, folder), DATA_DIR: folder }
      const service = await spawnService(env)
      const user = newUser()
      const usd = tokenOf(chain!, 'usd').address
      await fund(chain!, user.address, { usd: 5n })
      const calls = [{ to: usd, value: 0n, data: transferData(chain!.vault, 5n) }]
      const api = createApi(service.url!)
      const { actionId } = (await api.post('/actions', await actionOf(user, chain!, calls))).body
      node.behave({ kind: 'silence', method })
      await api.execute(actionId, 0, 0, undefined, 0)
      await until(() => sendsTo(node) > 0, 'the transaction to be sent')

      const toldAt = performance.now()
      await Promise.race([service.stop(), pause(8_000)])
      const tookMs = performance.now() - toldAt
      await service.stop('SIGKILL')
      expect(tookMs).to.be.lessThan(5_000)
      expect(service.lines().filter(({ level }) => Number(level) >= 50)).to.deep.equal([])

      node.behave({ kind: 'pass' })
      const next = await spawnService(env)
      try {
        const step = async () => (await createApi(next.url!).get(`/actions/${actionId}/intents/0/steps/0`)).body
        await until(async () => (await step()).status === 'success', 'the step to be carried out')
      } finally {
        await next.stop()
      }
    })
  })
})
