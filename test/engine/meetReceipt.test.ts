import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Chain, Receipt } from '../../server/chain/chain.js'
import { meetReceipt } from '../../server/engine/receipts/meetReceipt.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { JournalTransaction } from '../../server/store/journal/journalTransactions.js'
import { randomAddress, randomHash } from '../support/builders.js'

describe('a mined transaction whose meaning can’t be read', () => {
  it('is noted as mined all the same, so that its nonce counts as used up', async () => {
    const [signer, vault, hash, blockHash] = [randomAddress(), randomAddress(), randomHash(), randomHash()]
    const transaction = {
      id: 7,
      signer,
      to: signer,
      data: '0x',
      nonce: 3,
      chainId: 1,
      forms: [{ hash }],
      carries: [],
    }
    const receipt = { hash, blockHash, blockNumber: 5n, status: 'success', logs: [] }
    const chain = { config: { chainId: 1, vault, confirmations: 1, agreement: 1, tokens: [] } }
    const noted: unknown[] = []
    const told: string[] = []
    const tools = {
      store: {
        readStepsOf: async () => [],
        readAirdropOf: async () => {
          throw new Error('the database is away')
        },
        noteMined: async (...given: unknown[]) => {
          noted.push(given.slice(0, 2))
          return false
        },
      },
      codec: { vaultArrivals: () => [] },
      settings: { funders: new Set() },
      tellSeldom: (level: string) => void told.push(level),
      isOutage: () => true,
      now: () => 0,
      tips: { mined: () => undefined },
    }
    await meetReceipt(
      transaction as unknown as JournalTransaction,
      receipt as unknown as Receipt,
      { head: 6n, isRead: true },
      chain as unknown as Chain,
      tools as unknown as EngineTools,
    )
    expect(told, 'a warning, since the database comes back').to.deep.equal(['warn'])
    expect(noted).to.deep.equal([[7, { hash, blockNumber: 5, blockHash, confirmations: 1 }]])
  })
})

describe('a mined transaction of which nodes are not certain yet', () => {
  const [hash, blockHash, actionId] = [randomHash(), randomHash(), randomUUID()]
  const transaction = { id: 7, chainId: 1, forms: [{ hash }], carries: [{ ref: { actionId } }] }
  const receipt = { hash, blockHash, blockNumber: 5n, status: 'success', logs: [] }
  const config = { chainId: 1, confirmations: 1, agreement: 2, tokens: [] }
  const chain = { config, isCertain: () => Promise.resolve(false) }

  for (const [isNews, told] of [
    [true, [actionId]],
    [false, []],
  ] as const) {
    it(`is told to those who wait for its steps ${isNews ? 'where' : 'only where'} that is news`, async () => {
      const changed: string[] = []
      const tools = {
        store: { readStepsOf: async () => [], noteMined: async () => isNews },
        codec: { vaultArrivals: () => [] },
        settings: { funders: new Set() },
        changed: (topic: string) => void changed.push(topic),
        now: () => 0,
        tips: { mined: () => undefined },
      }
      await meetReceipt(
        transaction as unknown as JournalTransaction,
        receipt as unknown as Receipt,
        { head: 6n, isRead: true },
        chain as unknown as Chain,
        tools as unknown as EngineTools,
      )
      expect(changed).to.deep.equal(told)
    })
  }
})
