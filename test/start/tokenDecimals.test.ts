import { expect } from 'chai'
import { pino } from 'pino'
import { toHex } from 'viem'
import { encodeDecimals } from '../../server/chain/contracts.js'
import type { ChainConfig, TokenConfig } from '../../server/domain/chainConfig.js'
import { type JsonCall, startFaultyNode } from '../chain/faultyNode.js'
import { changedChainsFile } from '../support/changedChainsFile.js'

describe('the decimals of tokens', () => {
  const { start, stop, a } = changedChainsFile()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })

  const changed =
    (change: (token: TokenConfig) => Partial<TokenConfig>, urls?: string[], agreement = 1) =>
    ([first, ...others]: ChainConfig[]): ChainConfig[] => [
      {
        ...first!,
        tokens: first!.tokens.map((token) => ({ ...token, ...change(token) })),
        rpcUrls: urls ?? first!.rpcUrls,
        agreement,
      },
      ...others,
    ]

  it('keep a service from starting that would count in others', async () => {
    const error = await start(changed(({ id }) => (id === 'usd' ? { decimals: 18 } : {}))).catch(
      (refused: Error) => refused,
    )
    expect(error).to.include({ name: 'ConfigurationRefused' })
    const { chainId } = a()
    expect((error as Error).message).to.equal(
      `CHAINS_FILE: the token "usd" of chain ${chainId} has 6 decimals (rpcUrls/0), and not 18: correct it, or take out a node that is wrong`,
    )
  })

  it('are those of the chains file as long as a node says so, or too few say otherwise', async () => {
    const liar = await startFaultyNode(a().rpcUrls[0])
    const saysEighteen = encodeDecimals()
    liar.behave({
      kind: 'answer',
      answer: ({ method, params: [asked] }) =>
        method === 'eth_call' && (asked as { data: string }).data === saysEighteen
          ? { result: toHex(18, { size: 32 }) }
          : null,
    })
    try {
      await start(
        changed(() => ({}), [liar.url, ...a().rpcUrls]),
        log,
      )
      expect(lines.join()).to.include('too few nodes tell other decimals').and.include('rpcUrls/0: 18')
      // Nobody says what the file does, and only one says otherwise.
      const silent = 'http://127.0.0.1:1'
      await start(
        changed(() => ({}), [liar.url, silent], 2),
        log,
      )
      const error = await start(changed(() => ({}), [liar.url])).catch((refused: Error) => refused)
      expect((error as Error).message)
        .to.include('"usd"')
        .and.include('18 decimals (rpcUrls/0)')
    } finally {
      await stop()
      await liar.stop()
    }
  })

  it('are heard from a node that is slow where they are not certain without it', async () => {
    const slow = await startFaultyNode(a().rpcUrls[0])
    const decimals = encodeDecimals()
    const isOfDecimals = ({ method, params: [asked] }: JsonCall) =>
      method === 'eth_call' && (asked as { data: string }).data === decimals
    let asked = 0
    slow.behave((calls) => {
      const isFirst = calls.some(isOfDecimals) && ++asked === 1
      return isFirst ? { kind: 'silence' } : { kind: 'pass' }
    })
    try {
      const wrong = changed(({ id }) => (id === 'usd' ? { decimals: 18 } : {}), [...a().rpcUrls, slow.url], 2)
      const error = await start(wrong).catch((refused: Error) => refused)
      expect((error as Error).message).to.include('6 decimals (rpcUrls/0), 6 decimals (rpcUrls/1)')
    } finally {
      await stop()
      await slow.stop()
    }
  })

  it('are taken as they are told where the token, or its chain, says nothing', async () => {
    const nothing = '0x00000000000000000000000000000000000000ff'
    await start(
      changed(({ id }) => (id === 'usd' ? { address: nothing, decimals: 18 } : {})),
      log,
    )
    expect(lines.join()).to.include('the token does not say how many decimals it has').and.include('"token":"usd"')
    await start(
      changed(({ id }) => (id === 'usd' ? { decimals: 18 } : {}), ['http://127.0.0.1:1']),
      log,
    )
    expect(lines.join()).to.include('the decimals of the tokens were not read')
  })
})
