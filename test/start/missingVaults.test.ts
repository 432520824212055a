import { expect } from 'chai'
import type { Address } from 'viem'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { create2Factory } from '../../server/devnet/deployContracts.js'
import { startFaultyNode } from '../chain/faultyNode.js'
import { randomAddress } from '../support/builders.js'
import { changedChainsFile } from '../support/changedChainsFile.js'

describe('a vault that is not there', () => {
  const { start, stop, a } = changedChainsFile()

  const changed =
    (change: Partial<ChainConfig>) =>
    ([first, ...others]: ChainConfig[]): ChainConfig[] => [{ ...first!, ...change }, ...others]
  const refusal = (change: Partial<ChainConfig>) =>
    start(changed(change)).then(
      () => '',
      (error: Error) => `${error.name}: ${error.message}`,
    )

  it('is not taken for one that has to be asked for good, as the vault and as a former one', async () => {
    const nowhere: Address = randomAddress()
    for (const change of [{ vault: nowhere }, { formerVaults: [nowhere] }, { vault: create2Factory }])
      expect(await refusal(change)).to.match(
        /^ConfigurationRefused: CHAINS_FILE: there is no vault at 0x\w{40} on chain \d+ \(rpcUrls\/0\): deploy it/,
      )
    // It is not remembered either: that would have to be listed in formerVaults.
    await start(changed({}))
    await stop()
  })

  it('is believed to be there where a node says so, or too few say otherwise', async () => {
    const blind = await startFaultyNode(a().rpcUrls[0])
    blind.behave({
      kind: 'answer',
      answer: ({ method }) => (method === 'eth_call' ? { result: '0x' } : null),
    })
    try {
      await start(changed({ rpcUrls: [blind.url, ...a().rpcUrls] }))
      await stop()
    } finally {
      await blind.stop()
    }
  })

  it('is believed to be there where fewer nodes than have to agree say otherwise, and no other says anything', async () => {
    const silent = await startFaultyNode(a().rpcUrls[0])
    silent.behave((calls) =>
      calls.some(({ method }) => method === 'eth_call') ? { kind: 'status', status: 503 } : { kind: 'pass' },
    )
    const gone = () => ({ vault: randomAddress(), tokens: [] })
    try {
      const rpcUrls = [...a().rpcUrls, silent.url]
      expect(await refusal({ ...gone(), rpcUrls, agreement: 2 })).to.equal('')
      await stop()
      expect(await refusal({ ...gone(), rpcUrls, agreement: 1 })).to.contain('there is no vault')
    } finally {
      await stop()
      await silent.stop()
    }
  })

  it('is heard of from a node that is slow, where that decides', async () => {
    const slow = await startFaultyNode(a().rpcUrls[0])
    let asked = 0
    slow.behave((calls) => {
      const isFirst = calls.some(({ method }) => method === 'eth_call') && ++asked === 1
      return isFirst ? { kind: 'silence' } : { kind: 'pass' }
    })
    try {
      const rpcUrls = [...a().rpcUrls, slow.url]
      const told = await refusal({ vault: randomAddress(), tokens: [], rpcUrls, agreement: 2 })
      expect(told).to.contain('(rpcUrls/0, rpcUrls/1)')
      expect(asked).to.be.greaterThan(1)
    } finally {
      await stop()
      await slow.stop()
    }
  })
})
