import { expect } from 'chai'
import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { SignerUnavailable } from '../../server/domain/errors.js'
import { createLaneCheck } from '../../server/engine/laneCheck.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { Lane } from '../../server/store/lanes.js'

describe('the check of the lanes of a chain', () => {
  it('pauses those that are ahead, whatever keeps another from being looked into', async () => {
    const lane = (digit: string): Lane => ({
      ...{ signer: `0x${digit.repeat(40)}` as Address, nextNonce: 7, status: 'active', reason: null },
      ...{ chainId: 1, isAhead: false, isRetired: false },
    })
    const [troubled, ahead, behind] = [lane('1'), lane('2'), lane('3')]
    const lanes = [troubled!, ahead!, behind!]
    const nonces = [6, 8, 6]
    const paused: Address[] = []
    const lookedInto: Address[] = []
    const config = { chainId: 1, pollIntervalMs: 100, replaceAfterMs: 1_000, vault: `0x${'fa'.repeat(20)}` }
    const chain = {
      config,
      areOperators: async (signers: Address[]) => signers.map(() => true),
      highestNonces: async (signers: Address[]) => nonces.slice(0, signers.length),
    } as unknown as Chain
    const tools = {
      now: Date.now,
      signers: new Map(lanes.map(({ signer }) => [signer, {}])),
      refusedOperators: new Map(),
      lanesChecked: { add: () => undefined },
      wake: () => undefined,
      log: { warn: () => undefined, error: () => undefined, info: () => undefined },
      store: {
        readLanes: async () => lanes,
        noteLaneAhead: async ({ signer }: Lane) => paused.push(signer),
        lowestUnminedNonce: async (_chainId: number, signer: Address) => {
          lookedInto.push(signer)
          if (signer === troubled!.signer) throw new SignerUnavailable(signer, 'it is away')
          return null
        },
        standsForNonce: async () => true,
      },
    } as unknown as EngineTools
    await createLaneCheck(chain, tools).open()
    expect(paused).to.deep.equal([ahead!.signer])
    expect(lookedInto).to.deep.equal([troubled!.signer, behind!.signer])
  })
})
