import type { Address } from 'viem'
import type { TokenBalance } from '../../server/api/generated/types.gen.js'
import type { Api } from './api.js'

type Fits = (entry: TokenBalance) => boolean

/** What is recorded for a user of the first token that fits, if anything is. */
export async function creditOf(api: Api, user: Address, fits: Fits = () => true): Promise<TokenBalance | undefined> {
  const { tokens } = (await api.get(`/coredeposit/${user}`)).body.data as { tokens: TokenBalance[] }
  return tokens.find(fits)
}

/** What of it he can use now. */
export async function availableOf(api: Api, user: Address, fits?: Fits): Promise<string> {
  return (await creditOf(api, user, fits))?.available ?? '0'
}
