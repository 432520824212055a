import { randomBytes } from 'node:crypto'
import { encodeFunctionData, erc20Abi, type PrivateKeyAccount, toHex } from 'viem'
import type { Call } from '../../server/domain/action.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { authorization, newUser, signedIntent, tokenOf } from '../../test/support/wallets.js'

type SignedBody = { user: PrivateKeyAccount; body: string }
type Content = { users: number; intents?: number; batches?: number; callBytes?: number }

/**
 * Bodies of `POST /actions`, each with one signed intent, or more, of a batch per chain, or more, and an authorization
 * per chain. A batch is an approval of a token, which needs no balance, or with `callBytes` a call with so much data
 * that does nothing. `users` take turns, so that authorizations need not be signed anew.
 */
export async function signBodies(
  chains: readonly ChainConfig[],
  { bodies, ...content }: Content & { bodies: number },
): Promise<SignedBody[]> {
  const sign = await createBodySigner(chains, content)
  return sign(bodies)
}

/** Signs as many bodies as it is asked for, each another one. */
export async function createBodySigner(
  chains: readonly ChainConfig[],
  content: Content,
): Promise<(bodies: number) => Promise<SignedBody[]>> {
  const users = await Promise.all(
    Array.from({ length: content.users }, async () => {
      const user = newUser()
      return { user, chainAuthorizations: await Promise.all(chains.map((chain) => authorization(user, chain))) }
    }),
  )
  const { intents: intentCount = 1, batches: batchCount = 1, callBytes } = content
  const exp = Math.floor(Date.now() / 1000) + 24 * 3600
  let signed = 0

  async function signOne(index: number): Promise<SignedBody> {
    const { user, chainAuthorizations } = users[index % users.length]!
    const batches = Array.from({ length: batchCount }, () =>
      chains.map((chain) => ({
        chainId: chain.chainId,
        tokenTransfers: [],
        calls: [callBytes === undefined ? approval(chain) : idleCall(callBytes)],
      })),
    ).flat()
    // The window makes each intent of a user another one.
    const first = exp + Math.floor(index / users.length) * intentCount
    const windows = Array.from({ length: intentCount }, (_none, place) => ({ exp: first + place }))
    const intents = await Promise.all(windows.map((window) => signedIntent(user, batches, window)))
    return { user, body: JSON.stringify({ user: user.address, chainAuthorizations, intents }) }
  }

  return async (bodies) => {
    const made: SignedBody[] = []
    while (made.length < bodies) made.push(await signOne(signed++))
    return made
  }
}

function approval(chain: ChainConfig): Call {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [chain.vault, 1n] })
  return { to: tokenOf(chain, 'usd').address, value: 0n, data }
}

/** To an account that has no code. */
function idleCall(bytes: number): Call {
  return { to: '0x00000000000000000000000000000000000000aa', value: 0n, data: toHex(randomBytes(bytes)) }
}
