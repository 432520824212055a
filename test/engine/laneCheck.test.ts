import { expect } from 'chai'
import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { SignerUnavailable } from '../../server/domain/errors.js'
import { createLaneCheck } from '../../server/engine/lanes/laneCheck.js'
import { createTips } from '../../server/engine/lanes/tips.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { Lane } from '../../server/store/journal/lanes.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'

describe('the check of the lanes of a chain', () => {
  const lane = (digit: string): Lane => ({
    ...{ signer: `0x${digit.repeat(40)}` as Address, nextNonce: 7, status: 'active', reason: null },
    ...{ chainId: 1, isAhead: false, isRetired: false },
  })

  /** Its lanes' nonces by the chain. */
  const chainWith = (nonces: number[]) =>
    ({
      config: { chainId: 1, pollIntervalMs: 1, replaceAfterMs: 0, vault: `0x${'fa'.repeat(20)}` },
      areOperators: async (signers: Address[]) => signers.map(() => true),
      nonces: async (signers: Address[]) => nonces.slice(0, signers.length).map((nonce) => [nonce]),
      gasOfTransfer: async () => 21_000n,
    }) as unknown as Chain

  const toolsFor = (lanes: Lane[], store: object, more: object = {}) =>
    ({
      now: Date.now,
      signers: new Map(lanes.map(({ signer }) => [signer, {}])),
      chains: new Map(),
      refusedOperators: new Map(),
      unopenedLanes: new Map(),
      lanesChecked: { add: () => undefined },
      wake: () => undefined,
      log: { warn: () => undefined, error: () => undefined, info: () => undefined },
      store: {
        noteEmptyLedger: async () => undefined,
        noteLanesOpen: async () => undefined,
        readLanes: async () => lanes,
        lowestUnminedNonce: async () => null,
        standsForNonce: async () => true,
        ...store,
      },
      ...more,
    }) as unknown as EngineTools

  it('pauses those that are ahead, whatever keeps another from being looked into', async () => {
    const [troubled, ahead, behind] = [lane('1'), lane('2'), lane('3')]
    const paused: Address[] = []
    const lookedInto: Address[] = []
    const tools = toolsFor([troubled, ahead, behind], {
      noteLaneAhead: async ({ signer }: Lane) => paused.push(signer),
      lowestUnminedNonce: async (_chainId: number, signer: Address) => {
        lookedInto.push(signer)
        if (signer === troubled.signer) throw new SignerUnavailable(signer, 'it is away')
        return null
      },
    })
    await createLaneCheck(chainWith([6, 8, 6]), tools).open()
    expect(paused).to.deep.equal([ahead.signer])
    expect(lookedInto).to.deep.equal([troubled.signer, behind.signer])
  })

  it('gives up a filler whose nonce has been used after all, and pauses no lane for it', async () => {
    const filled = lane('1')
    const givenUp: number[] = []
    const paused: Address[] = []
    const isFiller = () => givenUp.length === 0
    const tools = toolsFor([filled], {
      lowestUnminedNonce: async () => 5,
      readUsedUp: async () => [{ id: isFiller() ? 3 : 4, nonce: 5, hashes: [] }],
      giveUpFiller: async (id: number) => isFiller() && givenUp.push(id) > 0,
      noteLaneAhead: async ({ signer }: Lane) => paused.push(signer),
    })
    const chain = { ...chainWith([6]), areUnknown: async () => true } as unknown as Chain
    const check = createLaneCheck(chain, tools)
    await check.open()
    await until(async () => (await check.check(), givenUp.length > 0), 'the filler to be given up', 5_000, 10)
    expect([givenUp, paused]).to.deep.equal([[3], []])
    await until(async () => (await check.check(), paused.length > 0), 'what is no filler to pause the lane', 5_000, 10)
    expect(givenUp).to.deep.equal([3])
  })

  it('waits for no signature that fills a gap, asks for one at a time, and ends with it', async () => {
    const behind = lane('1')
    const asked: number[] = []
    let fail: (reason: Error) => void = () => undefined
    const signTransaction = ({ nonce }: { nonce: number }) => {
      asked.push(nonce)
      return new Promise<never>((_resolve, reject) => (fail = reject))
    }
    const tools = toolsFor(
      [behind],
      { standsForNonce: async () => false, reopenLost: async () => false },
      {
        signers: new Map([[behind.signer, { signTransaction }]]),
        signerFaults: new Map(),
        heads: new Map([[1, { baseFeePerGas: 1n }]]),
        codec: { initialFees: () => ({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }) },
        tips: createTips(Date.now),
      },
    )
    const check = createLaneCheck(chainWith([6]), tools)
    await check.open()
    const checkedOnce = async () => {
      await check.check()
      return asked.length > 0
    }
    await until(checkedOnce, 'the gap to be filled', 5_000, 40)
    for (let times = 0; times < 5; times++) {
      await pause(40)
      await check.check()
    }
    expect(asked).to.deep.equal([6])
    let stopped = false
    const stopping = check.stop().then(() => (stopped = true))
    await new Promise(setImmediate)
    expect(stopped).to.equal(false)
    fail(new Error('no signature'))
    await stopping
    await until(async () => (await checkedOnce()) && asked.length === 2, 'it to be asked for again', 5_000, 40)
    fail(new Error('no signature'))
    await check.stop()
  })

  it('fills a gap in time, though the clock was set back since it was seen', async () => {
    const behind = lane('1')
    const clock = { now: Date.now() }
    let reopened = 0
    const store = { standsForNonce: async () => false, reopenLost: async () => Boolean((reopened += 1)) }
    const chain = chainWith([6])
    const tools = toolsFor([behind], store, { now: () => clock.now })
    const check = createLaneCheck({ ...chain, config: { ...chain.config, replaceAfterMs: 30_000 } }, tools)
    await check.open()
    clock.now -= 3_600_000
    for (let second = 0; second < 60; second++) {
      clock.now += 1_000
      await check.check()
    }
    expect(reopened).to.be.greaterThan(0)
    await check.stop()
  })
})
