import { expect } from 'chai'
import type { Knex } from 'knex'
import { rpc } from '../../server/devnet/anvil.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { actionOf, newUser, reader, tokenOf, transferData } from '../support/wallets.js'

const confirmations = 60

// SQLite has one process.
if (process.env.TEST_DATABASE === 'mysql') {
  describe('a transaction that a process which stands still has locked', () => {
    const { service, api } = useServiceOnChains((chain) => ({ ...chain, confirmations }))

    /** A step of a new user, who pays nothing to the vault. Resolves once it is in a block. */
    async function mined() {
      const [chain] = service.chains
      const calls = [{ to: tokenOf(chain, 'usd').address, value: 0n, data: transferData(chain.vault, 0n) }]
      const { body } = await api.post('/actions', await actionOf(newUser(), chain, calls))
      await api.execute(body.actionId, 0, 0, undefined, 0)
      const read = async () => (await api.get(`/actions/${body.actionId}/intents/0/steps/0`)).body
      const block = await until(async () => (await read()).blockNumber as number | null, 'its block')
      return { block, status: async () => (await read()).status as string }
    }

    it('keeps no other from being settled, however long it is locked while blocks come', async function () {
      this.timeout(90_000)
      const [chain] = service.chains
      const url = chain.rpcUrls[0]!
      const early = await mined()
      await rpc(url, 'anvil_mine', ['0x32'])
      const late = await mined()
      const { knex } = service.database
      const [{ id }] = (await knex('transactions').where({ mined_block: late.block })) as [{ id: number }]
      const trx = await knex.transaction()
      try {
        // Else MariaDB would end it.
        await trx.raw('SET SESSION idle_transaction_timeout = 0')
        await (trx as Knex)('transactions').where({ id }).forUpdate().select('id')
        const headOf = async () => Number(await reader(chain).getBlockNumber())
        // As long as its confirmations are counted.
        for (const last = late.block + confirmations - 5; (await headOf()) < last;) {
          if ((await early.status()) === 'success') break
          await rpc(url, 'evm_mine', [])
          await pause(250)
        }
        expect(await early.status()).to.equal('success')
        expect(await late.status()).to.equal('executing')
      } finally {
        await trx.rollback()
      }
      await rpc(url, 'anvil_mine', ['0x3c'])
      await until(async () => (await late.status()) === 'success', 'the one that was locked')
    })
  })
}
