import { encodeFunctionData, erc20Abi, type PrivateKeyAccount } from 'viem'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { authorization, newUser, signedIntent, tokenOf } from '../../test/support/wallets.js'

export type SignedBody = { user: PrivateKeyAccount; body: string }

/**
 * Bodies of `POST /actions`, each with one signed intent, or more, of a batch per chain and an authorization per chain. A batch
 * is an approval of a token, which needs no balance. `users` take turns, so that authorizations need not be signed anew.
 */
export async function signBodies(
  chains: readonly ChainConfig[],
  options: { bodies: number; users: number; intents?: number },
): Promise<SignedBody[]> {
  const users = await Promise.all(
    Array.from({ length: options.users }, async () => {
      const user = newUser()
      return { user, chainAuthorizations: await Promise.all(chains.map((chain) => authorization(user, chain))) }
    }),
  )
  const { intents: intentCount = 1 } = options
  const exp = Math.floor(Date.now() / 1000) + 24 * 3600
  const signed: SignedBody[] = []
  for (let index = 0; index < options.bodies; index++) {
    const { user, chainAuthorizations } = users[index % users.length]!
    const batches = chains.map((chain) => ({
      chainId: chain.chainId,
      tokenTransfers: [],
      calls: [
        {
          to: tokenOf(chain, 'usd').address,
          value: 0n,
          data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [chain.vault, 1n] }),
        },
      ],
    }))
    // The window makes each intent of a user another one.
    const first = exp + Math.floor(index / users.length) * intentCount
    const windows = Array.from({ length: intentCount }, (_none, place) => ({ exp: first + place }))
    const intents = await Promise.all(windows.map((window) => signedIntent(user, batches, window)))
    signed.push({ user, body: JSON.stringify({ user: user.address, chainAuthorizations, intents }) })
  }
  return signed
}
