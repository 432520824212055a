import type { Address, Hex } from 'viem'
import { throwIfAborted } from './abortable.js'
import type { Chain } from './amounts.js'
import { IntentConnectionError, IntentError } from './errors.js'
import { isText } from './isText.js'
import type { SendRequest } from './transport.js'

/** What an account's code starts with when it is delegated (EIP-7702); the delegate's address follows. */
const designator = '0xef0100'
/** Of numbers that are exact here. */
const quantity = /^0x0*[0-9a-f]{1,13}$/i
const bytes = /^0x([0-9a-f]{2})*$/i

/** What an authorization says, yet to be signed. `address` is the delegate, `nonce` the account's. */
export type AuthorizationDraft = { address: Address; chainId: number; nonce: number }

/**
 * The authorizations that the account still needs on these chains: none where it is delegated to one of the chain's
 * delegates already. Nonce and code are read from the chain's public node, or from the one in `rpcUrls`,
 * with `send`, which has to end in time.
 */
export async function neededAuthorizations(options: {
  user: Address
  chains: readonly (Pick<Chain, 'chainId' | 'delegate' | 'rpcUrl'> & Partial<Pick<Chain, 'delegates'>>)[]
  rpcUrls: Record<number, string>
  send: SendRequest
  signal: AbortSignal | undefined
}): Promise<AuthorizationDraft[]> {
  const { user, chains, rpcUrls, signal } = options
  const states = await Promise.all(
    // All of them are awaited, whichever of them can't be asked.
    chains.map(async ({ chainId, rpcUrl }) => {
      const url = rpcUrls[chainId] ?? rpcUrl
      if (!url) {
        throw new IntentError(
          `The service names no node for chain ${chainId}; name one in rpcUrls, or chainAuthorizations.`,
        )
      }
      return readAccount({ url, chainId, address: user, send: options.send, signal })
    }),
  )
  const needed: AuthorizationDraft[] = []
  for (const [index, { chainId, delegate, delegates = [delegate] }] of chains.entries()) {
    const { code, nonce } = states[index]!
    if (delegates.some((known) => code === `${designator}${known.slice(2)}`.toLowerCase())) continue
    requireAccount(user, code, chainId)
    needed.push({ address: delegate, chainId, nonce })
  }
  return needed
}

/** Refuses a contract: it has no key whose signatures the service could take, and sends no transaction of its own. */
export function requireAccount(user: Address, code: Hex, chainId: number): void {
  if (code !== '0x' && !code.startsWith(designator)) {
    throw new IntentError(`${user} is a contract on chain ${chainId}; only a plain account can be a user.`)
  }
}

type Node = { url: string; chainId: number; send: SendRequest; signal: AbortSignal | undefined }

async function readAccount({ address, ...node }: Node & { address: Address }): Promise<{ code: Hex; nonce: number }> {
  const [chainId, code, count] = await Promise.all([
    ask(node, quantity, 'eth_chainId', []),
    ask(node, bytes, 'eth_getCode', [address, 'latest']),
    ask(node, quantity, 'eth_getTransactionCount', [address, 'pending']),
  ])
  if (Number(chainId) !== node.chainId) {
    throw new IntentError(`The node for chain ${node.chainId} is of chain ${Number(chainId)}.`)
  }
  return { code: code.toLowerCase() as Hex, nonce: Number(count) }
}

async function ask(
  { url, chainId, send, signal }: Node,
  wanted: RegExp,
  method: string,
  params: unknown[],
): Promise<Hex> {
  const call = { jsonrpc: '2.0', id: 1, method, params }
  const headers = { 'content-type': 'application/json' }
  const answer = await send({ url, method: 'POST', headers, body: JSON.stringify(call) })
    .then((response) => response.json() as Promise<{ result?: unknown; error?: { message?: unknown } } | null>)
    .catch((reason: unknown) => {
      throwIfAborted(signal)
      throw new IntentConnectionError(`The node of chain ${chainId} did not answer ${method}.`, reason)
    })
  const { result, error } = answer ?? {}
  if (isText(result, wanted)) return result as Hex
  const says = typeof error?.message === 'string' ? `: ${error.message}` : ''
  throw new IntentError(`The node of chain ${chainId} did not answer ${method}${says}; name another one in rpcUrls.`, {
    cause: error ?? answer,
  })
}
