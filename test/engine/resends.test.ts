import { expect } from 'chai'
import type { Block, Chain } from '../../server/chain/chain.js'
import { createResends } from '../../server/engine/lanes/resends.js'
import { createSendWindow } from '../../server/engine/lanes/sendWindow.js'
import { createTips } from '../../server/engine/lanes/tips.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { JournalTransaction } from '../../server/store/journal/journalTransactions.js'
import { until } from '../support/until.js'

describe('what is sent again on a lane', () => {
  const signer = `0x${'51'.repeat(20)}` as const
  const at = (nonce: number) => {
    const form = {
      hash: `0x${String(nonce)}`,
      raw: '0x',
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      isCancel: false,
    }
    const rest = { id: nonce, chainId: 1, to: signer, data: '0x', authorizations: [], gasLimit: 1n, mined: null }
    const never = { sentAt: null, sendOutcome: null, waitingSince: 0, signedFor: [], carries: [] }
    return { ...rest, ...never, signer, nonce, forms: [form] } as unknown as JournalTransaction
  }

  /** The engine's, for one transaction that stands first on its lane. */
  function toolsFor(
    transaction: JournalTransaction,
    { signer, codec, baseFeePerGas }: { signer: object; codec: object; baseFeePerGas: bigint },
  ): EngineTools {
    return {
      now: Date.now,
      look: () => undefined,
      sendWindow: createSendWindow(async () => [0]),
      tips: createTips(Date.now),
      signerFaults: new Map(),
      signers: new Map([[transaction.signer, signer]]),
      heads: new Map([[1, { baseFeePerGas }]]),
      codec,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
      store: {
        lowestUnminedNonce: async () => 0,
        readUnmined: async () => transaction,
        noteSend: async () => undefined,
        recordForm: async () => 'recorded',
      },
    } as unknown as EngineTools
  }

  it('begins with the lowest nonce, which all others wait for, also where that was not due with them', async () => {
    const sent: string[] = []
    const chain = {
      config: { chainId: 1, replaceAfterMs: 1_000 },
      receipts: async () => [null],
      send: async ({ hash }: { hash: string }) => {
        sent.push(hash)
        return { kind: 'accepted', text: 'ok' }
      },
    } as unknown as Chain
    const tools = {
      now: Date.now,
      look: () => undefined,
      sendWindow: createSendWindow(async () => [3]),
      log: { debug: () => undefined, warn: () => undefined },
      store: {
        lowestUnminedNonce: async () => 3,
        readUnmined: async ({ nonce }: { nonce: number }) => at(nonce),
        noteSend: async () => undefined,
      },
    } as unknown as EngineTools
    const resends = createResends(chain, tools)
    const seen = { head: {} as Block, movedAt: 0, unanswered: new Set<number>() }
    resends.begin([at(9), at(5)], seen)
    await until(() => sent.length === 3, 'all of them')
    expect(sent).to.deep.equal(['0x3', '0x5', '0x9'])
    await until(() => {
      resends.begin([at(5), at(3)], seen)
      return sent.length >= 5
    }, 'both')
    expect(sent.slice(3, 5)).to.deep.equal(['0x3', '0x5'])
  })

  for (const [signature, signTransaction] of [
    ['is there', async () => '0x02'],
    ['is not to be had', () => Promise.reject(new Error('away'))],
    // Since the cap was lowered.
    ['may not offer as much as what it cancels', async () => '0x02'],
  ] as const) {
    it(`is a cancel where nothing waits for the transaction any more, and else nothing: its signature ${signature}`, async () => {
      const sent: { raw: string; isCancel: boolean }[] = []
      let asked = 0
      const unwanted = { ...at(0), sentAt: 1, sendOutcome: 'known', isUnwanted: true } as JournalTransaction
      const chain = {
        config: { chainId: 1, replaceAfterMs: 1_000 },
        receipts: async () => [null],
        gasOfTransfer: async () => 21_000n,
        send: async ({ raw, isCancel }: { raw: string; isCancel: boolean }) => {
          sent.push({ raw, isCancel })
          return { kind: 'accepted', text: 'ok' }
        },
      } as unknown as Chain
      const signer = { signTransaction: (...unsigned: []) => ((asked += 1), signTransaction(...unsigned)) }
      const codec = {
        replacementFees: () =>
          signature === 'may not offer as much as what it cancels'
            ? null
            : { maxFeePerGas: 2n, maxPriorityFeePerGas: 2n },
        initialFees: () => ({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }),
      }
      const tools = toolsFor(unwanted, { signer, codec, baseFeePerGas: 1n })
      const resends = createResends(chain, tools)
      const seen = { head: { baseFeePerGas: 1n } as Block, movedAt: 0, unanswered: new Set<number>() }
      resends.begin([unwanted], seen)
      await until(() => asked === 1, 'the signature to be asked for')
      await resends.stop()
      expect(sent).to.deep.equal(signature === 'is not to be had' ? [] : [{ raw: '0x02', isCancel: true }])
    })
  }

  for (const [when, waitingSince] of [
    ['an hour ago', Date.now() - 3_600_000],
    ['by a clock that was an hour ahead', Date.now() + 3_600_000],
  ] as const) {
    it(`is signed anew where it was signed ${when} and pays too little`, async () => {
      let signed = 0
      const stuck = { ...at(0), sentAt: 1, sendOutcome: 'notPooled', waitingSince } as JournalTransaction
      const chain = {
        config: { chainId: 1, replaceAfterMs: 1_000 },
        receipts: async () => [null],
        send: async () => ({ kind: 'accepted', text: 'ok' }),
      } as unknown as Chain
      const signer = { signTransaction: async () => ((signed += 1), '0x02') }
      const codec = { replacementFees: () => ({ maxFeePerGas: 200n, maxPriorityFeePerGas: 2n }) }
      const tools = toolsFor(stuck, { signer, codec, baseFeePerGas: 100n })
      const seen = { head: { baseFeePerGas: 100n } as Block, movedAt: 0, unanswered: new Set<number>() }
      createResends(chain, tools).begin([stuck], seen)
      await until(() => signed === 1, 'it to be signed')
    })
  }

  it('keeps its fees where it has only just become the lowest, before which no block could take it', async () => {
    let now = 1_000_000
    let lowest = 0
    let signed = 0
    const sent: string[] = []
    const old = (nonce: number) =>
      ({ ...at(nonce), sentAt: 1, sendOutcome: 'accepted', waitingSince: 0 }) as JournalTransaction
    const chain = {
      config: { chainId: 1, replaceAfterMs: 60_000, priorityFeePerGas: 1n },
      receipts: async () => [null],
      send: async ({ hash }: { hash: string }) => (sent.push(hash), { kind: 'accepted', text: 'ok' }),
    } as unknown as Chain
    const signer = { signTransaction: async () => ((signed += 1), '0x02') }
    const codec = { replacementFees: () => ({ maxFeePerGas: 2n, maxPriorityFeePerGas: 2n }) }
    const given = toolsFor(old(0), { signer, codec, baseFeePerGas: 1n })
    const store = { ...given.store, lowestUnminedNonce: async () => lowest }
    const tools = { ...given, store, now: () => now } as EngineTools
    const resends = createResends(chain, tools)
    const look = async (nonce: number) => {
      const before = sent.length
      const seen = { head: { baseFeePerGas: 1n } as Block, movedAt: now, unanswered: new Set<number>() }
      await until(() => {
        if (sent.length > before) return true
        // Not while it is still at the last ones.
        resends.begin([old(nonce)], seen)
        return false
      }, 'it to be sent')
      return signed
    }
    expect(await look(0)).to.equal(1)
    lowest = 1
    expect(await look(1)).to.equal(1)
    now += 30_000
    expect(await look(1)).to.equal(1)
    now += 31_000
    expect(await look(1)).to.equal(2)
  })
})
