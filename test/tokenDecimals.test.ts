import { expect } from 'chai'
import { pino } from 'pino'
import type { ChainConfig, TokenConfig } from '../server/domain/chainConfig.js'
import { changedChainsFile } from './support/changedChainsFile.js'

describe('the decimals of tokens', () => {
  const { start, a } = changedChainsFile()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })

  const changed =
    (change: (token: TokenConfig) => Partial<TokenConfig>, urls?: string[]) =>
    ([first, ...others]: ChainConfig[]): ChainConfig[] => [
      {
        ...first!,
        tokens: first!.tokens.map((token) => ({ ...token, ...change(token) })),
        rpcUrls: urls ?? first!.rpcUrls,
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
      `CHAINS_FILE: the token "usd" of chain ${chainId} has 6 decimals, and not 18`,
    )
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
