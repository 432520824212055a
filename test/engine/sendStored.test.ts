import { expect } from 'chai'
import { pino } from 'pino'
import type { Chain } from '../../server/chain/chain.js'
import { sendStored } from '../../server/engine/lanes.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { JournalTransaction } from '../../server/store/journalTransactions.js'
import { randomHash } from '../support/builders.js'

describe('a transaction that the journal holds', () => {
  it('is handed to no node before it is on the disk', async () => {
    const order: string[] = []
    const tools = {
      store: {
        onDisk: () => new Promise<void>((resolve) => setImmediate(resolve)).then(() => order.push('on the disk')),
        noteSend: async () => void order.push('noted'),
      },
      now: Date.now,
      look: () => undefined,
      log: pino({ level: 'silent' }),
    } as unknown as EngineTools
    const chain = {
      async send() {
        order.push('sent')
        return { kind: 'accepted', text: 'ok' }
      },
    } as unknown as Chain
    const attempt = { hash: randomHash(), raw: '0x02', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, isCancel: false }
    const transaction = { id: 1, chainId: 1, attempts: [attempt], carries: [] } as unknown as JournalTransaction
    await sendStored(transaction, chain, tools)
    expect(order).to.deep.equal(['on the disk', 'sent', 'noted'])
  })
})
