import { expect } from 'chai'
import type { Block, Chain } from '../../server/chain/chain.js'
import { createReorganisationCheck } from '../../server/engine/receipts/reorganisations.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { SettledBlock, Undone } from '../../server/store/journal/reorganisations.js'
import { randomHash } from '../support/builders.js'

describe('what rests on blocks that are gone', () => {
  it('is undone though another of them can’t be, which is tried again and alarmed', async () => {
    const blocks = [7, 8, 9].map((number) => ({ number, hash: randomHash() }))
    const [broken] = blocks
    const undone: number[] = []
    const alarms: { blockNumber: number }[] = []
    let now = 0
    const config = { chainId: 1, reorganisationBlocks: 100, pollIntervalMs: 100 }
    const chain = { config, goneBlocks: async (asked: unknown[]) => asked.map(() => true) } as unknown as Chain
    const tools = {
      now: () => (now += 60_000),
      store: {
        readCheckedBlock: async () => null,
        readSettledBlocks: async () => blocks,
        async undoBlock(_chainId: number, block: SettledBlock) {
          if (block === broken) throw new Error('the ledger knows this cause already')
          undone.push(block.number)
          return []
        },
      },
      wake: () => undefined,
      log: { warn: () => undefined, error: (told: { blockNumber: number }) => alarms.push(told) },
    } as unknown as EngineTools
    const check = createReorganisationCheck(chain, tools)
    const head: Block = {
      ...{ number: 10n, hash: randomHash(), parentHash: randomHash() },
      ...{ timestamp: 1n, baseFeePerGas: 1n, gasLimit: 1n },
    }
    await check.check(head)
    await check.check(head)
    expect(undone).to.deep.equal([8, 9, 8, 9])
    expect(alarms.map(({ blockNumber }) => blockNumber)).to.deep.equal([7, 7])
  })

  it('is counted and told to those who wait, also of a step that ends because what was to fund it is gone', async () => {
    const config = { chainId: 1, reorganisationBlocks: 100, pollIntervalMs: 100 }
    const chain = { config, goneBlocks: async () => [true] } as unknown as Chain
    const [opened, failed] = ['action-1', 'action-2'].map((actionId) => ({ actionId, intentIndex: 0, stepIndex: 1 }))
    const ended = [{ ref: failed!, chainId: 2, traceparent: null, code: 'insufficient_credit' as const }]
    const undone: Undone[] = [
      { kind: 'step', transactionHash: randomHash(), steps: [opened!] },
      { kind: 'credit', transactionHash: randomHash(), steps: [], exposed: 0n, ended },
    ]
    const told: unknown[] = []
    const tools = {
      now: () => 60_000,
      store: {
        readCheckedBlock: async () => null,
        noteCheckedBlock: async () => undefined,
        readSettledBlocks: async () => [{ number: 7, hash: randomHash() }],
        undoBlock: async () => undone,
      },
      wake: () => undefined,
      countReorganised: (chainId: number, kind: string) => told.push([chainId, kind]),
      countStep: (chainId: number, status: string, code: string) => told.push([chainId, status, code]),
      changed: (topic: string) => told.push(topic),
      log: { warn: () => undefined, error: () => undefined, info: (line: object) => told.push(line) },
    } as unknown as EngineTools
    await createReorganisationCheck(chain, tools).check({
      ...{ number: 10n, hash: randomHash(), parentHash: randomHash() },
      ...{ timestamp: 1n, baseFeePerGas: 1n, gasLimit: 1n },
    })
    const line = { ...failed, chainId: 2, hash: null, status: 'error', code: 'insufficient_credit' }
    const end = [line, [2, 'error', 'insufficient_credit'], 'action-2']
    expect(told).to.deep.equal([[1, 'step'], 'action-1', [1, 'credit'], ...end])
  })

  it('is looked for from where all was held against the chain last, however long nobody has looked since', async () => {
    const config = { chainId: 1, reorganisationBlocks: 100, pollIntervalMs: 100 }
    let areTold = true
    const chain = { config, goneBlocks: async () => [areTold ? false : null] } as unknown as Chain
    let now = 0
    const readFrom: number[] = []
    let checked = 150
    const tools = {
      now: () => (now += 60_000),
      store: {
        readCheckedBlock: async () => checked,
        noteCheckedBlock: async ({ number }: { number: number }) => (checked = number),
        async readSettledBlocks(_chainId: number, { from }: { from: number }) {
          readFrom.push(from)
          return [{ number: from, hash: randomHash() }]
        },
      },
      log: { warn: () => undefined },
    } as unknown as EngineTools
    const check = createReorganisationCheck(chain, tools)
    const lookAt = (number: bigint) =>
      check.check({
        number,
        hash: randomHash(),
        parentHash: randomHash(),
        timestamp: 1n,
        baseFeePerGas: 1n,
        gasLimit: 1n,
      })
    areTold = false
    await lookAt(1_000n)
    expect(checked, 'while a node does not tell').to.equal(150)
    areTold = true
    for (const number of [1_001n, 1_002n]) await lookAt(number).catch(() => undefined)
    expect(readFrom).to.deep.equal([50, 50, 901])
    expect(checked).to.equal(1_002)
  })

  it('is looked for among the older ones too, however many newer ones there are', async () => {
    const config = { chainId: 1, reorganisationBlocks: 2, pollIntervalMs: 100 }
    const settled = [0, 1, 2, 3, 3, 3, 3, 3, 4, 5].map((number) => ({ number, hash: randomHash() }))
    const asked: number[][] = []
    let checked: number | null = null
    const goneBlocks = async (blocks: SettledBlock[]) => {
      asked.push(blocks.map(({ number }) => number))
      return blocks.map(() => false)
    }
    const tools = {
      now: () => 60_000,
      store: {
        readCheckedBlock: async () => null,
        noteCheckedBlock: async ({ number }: { number: number }) => (checked = number),
        readSettledBlocks: async (_chainId: number, { to }: { to: number }, most: number) =>
          settled.filter(({ number }) => number <= to).slice(-most),
      },
      log: { warn: () => undefined },
    } as unknown as EngineTools
    const head = { number: 9n, hash: randomHash(), parentHash: randomHash() }
    const check = createReorganisationCheck({ config, goneBlocks } as unknown as Chain, tools)
    await check.check({ ...head, timestamp: 1n, baseFeePerGas: 1n, gasLimit: 1n })
    expect(asked).to.deep.equal([
      [3, 3, 4, 5],
      [3, 3, 3, 3],
      [0, 1, 2],
    ])
    expect(checked).to.equal(9)
  })
})
