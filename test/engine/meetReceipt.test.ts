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
    await meet(transaction, receipt, chain, tools)
    expect(told, 'a warning, since the database comes back').to.deep.equal(['warn'])
    expect(noted).to.deep.equal([[7, { hash, blockNumber: 5, blockHash, confirmations: 1 }]])
  })
})

describe('a mined transaction that is not final yet', () => {
  const [hash, blockHash, actionId] = [randomHash(), randomHash(), randomUUID()]
  const transaction = { id: 7, chainId: 1, forms: [{ hash }], carries: [{ ref: { actionId } }] }
  const receipt = { hash, blockHash, blockNumber: 5n, status: 'success', logs: [] }

  it('is told to those who wait for its steps where nodes are not certain of it, each time it shows something new', async () => {
    expect(await toldOf({ confirmations: 1, isNews: true })).to.deep.equal([actionId])
    expect(await toldOf({ confirmations: 1, isNews: false })).to.deep.equal([])
  })

  it('is told to them when it is first seen, though another replica has noted it already', async () => {
    expect(await toldOf({ confirmations: 3, isNews: true })).to.deep.equal([actionId])
    expect(await toldOf({ confirmations: 3, isNews: false })).to.deep.equal([actionId])
  })

  /** What is told of it two blocks deep, on a chain that needs so many confirmations. */
  async function toldOf({ confirmations, isNews }: { confirmations: number; isNews: boolean }): Promise<string[]> {
    const told: string[] = []
    const config = { chainId: 1, confirmations, agreement: 2, tokens: [] }
    const tools = {
      store: { readStepsOf: async () => [], noteMined: async () => isNews },
      codec: { vaultArrivals: () => [] },
      settings: { funders: new Set() },
      changed: (topic: string) => void told.push(topic),
      now: () => 0,
      tips: { mined: () => undefined },
    }
    await meet(transaction, receipt, { config, isCertain: () => Promise.resolve(false) }, tools)
    return told
  }
})

/** Meets a receipt of block 5 under block 6. */
function meet(transaction: unknown, receipt: unknown, chain: unknown, tools: unknown): Promise<void> {
  const seen = { head: 6n, isRead: true }
  return meetReceipt(transaction as JournalTransaction, receipt as Receipt, seen, chain as Chain, tools as EngineTools)
}
