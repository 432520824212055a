import { expect } from 'chai'
import type { Block, Chain } from '../../server/chain/chain.js'
import { replacementFees } from '../../server/chain/fees.js'
import type { SendKind } from '../../server/domain/sendKind.js'
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
      suggestedTip: async () => 1n,
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

  describe('with its user’s authorization, and passed over by blocks', () => {
    const replaceAfterMs = 1_000

    /** The tips of all that is signed in so many looks, each after as long as fees stay. */
    async function formsAfter(
      looks: number,
      sendOutcome: SendKind,
      suggestedTip: () => Promise<bigint>,
      { steps = 1, baseFeePerGas = 1n } = {},
    ) {
      let now = 1_000_000
      let sends = 0
      const gwei = (tenths: number) => BigInt(tenths) * 100_000_000n
      const begin = { ...at(0).forms[0]!, maxFeePerGas: gwei(1_000), maxPriorityFeePerGas: gwei(10) }
      let held = {
        ...at(0),
        ...{ sentAt: 1, sendOutcome, authorizations: [{}], carries: Array(steps).fill({ ref: {} }), forms: [begin] },
      } as unknown as JournalTransaction
      const chain = {
        config: { chainId: 1, replaceAfterMs, priorityFeePerGas: gwei(10), maxFeePerGasCap: gwei(9_000) },
        receipts: async () => [null],
        gasOfTransfer: async () => 21_000n,
        suggestedTip,
        send: async () => ((sends += 1), { kind: sendOutcome, text: '' }),
      } as unknown as Chain
      const codec = { replacementFees }
      const given = toolsFor(held, { signer: { signTransaction: async () => '0x02' }, codec, baseFeePerGas: 1n })
      const store = {
        ...given.store,
        readUnmined: async () => held,
        recordForm: async (_of: unknown, form: JournalTransaction['forms'][0]) => {
          held = { ...held, forms: [...held.forms, form] }
          return 'recorded'
        },
      }
      const resends = createResends(chain, { ...given, store, now: () => now } as unknown as EngineTools)
      for (let look = 0; look < looks; look++) {
        now += replaceAfterMs + 500
        const before = sends
        const seen = { head: { baseFeePerGas } as Block, movedAt: now, unanswered: new Set<number>() }
        await until(() => {
          if (sends > before) return true
          // Not while it is still at the last one.
          resends.begin([held], seen)
          return false
        }, 'one of its forms to be sent')
      }
      return held.forms.map(({ isCancel, maxPriorityFeePerGas }) => (isCancel ? 'cancel' : maxPriorityFeePerGas))
    }

    it('is given up after three raises, where it offers as much as a node suggests', async () => {
      const forms = await formsAfter(6, 'accepted', async () => 1_000_000_000n)
      expect(forms.indexOf('cancel')).to.equal(4)
    })

    it('is given up so as well where no node suggests anything', async () => {
      const forms = await formsAfter(6, 'accepted', () => Promise.reject(new Error('no such method')))
      expect(forms.indexOf('cancel')).to.equal(4)
    })

    it('is raised to what a node suggests, twofold at the most each time, and is not given up before', async () => {
      const gwei = 1_000_000_000n
      const forms = await formsAfter(9, 'accepted', async () => 20n * gwei)
      expect(forms.slice(0, 6)).to.deep.equal([gwei, 2n * gwei, 4n * gwei, 8n * gwei, 16n * gwei, 20n * gwei])
      expect(forms.indexOf('cancel')).to.equal(9)
    })

    it('is given up as well where a node suggests more than may be offered', async () => {
      const forms = await formsAfter(20, 'accepted', async () => 10n ** 18n)
      expect(forms.at(-1)).to.equal('cancel')
    })

    it('is not given up in company where it was raised for the base fee alone', async () => {
      const far = { steps: 2, baseFeePerGas: 10n ** 12n }
      expect(await formsAfter(8, 'accepted', async () => 1n, far)).to.not.include('cancel')
      const forms = await formsAfter(8, 'accepted', async () => 1n, { steps: 2 })
      expect(forms.indexOf('cancel')).to.equal(4)
    })

    it('in company climbs as well, and is given up as late', async () => {
      const forms = await formsAfter(9, 'accepted', async () => 20_000_000_000n, { steps: 2 })
      expect(forms.indexOf('cancel')).to.equal(9)
    })

    for (const outcome of ['ambiguous', 'notPooled'] as const) {
      it(`is given up late where no node has said that it has it, but ${outcome}`, async () => {
        expect(await formsAfter(6, outcome, async () => 1n)).to.not.include('cancel')
        expect(await formsAfter(10, outcome, async () => 1n)).to.include('cancel')
      })
    }
  })
})
