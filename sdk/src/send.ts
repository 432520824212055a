import type { ActionRequest, Chain, ChainAuthorization } from './amounts.js'
import { neededAuthorizations } from './authorizations.js'
import { IntentError } from './errors.js'
import { runAction, type RunCalls, type RunOptions } from './runAction.js'
import { signIntent, type SigningAccount } from './sign.js'
import type { ChainBatch, SignatureType } from './signing.js'
import type { Action, ActionCreated, CallOptions } from './wire.js'

/** An intent of mode `7702` that is yet to be signed. */
export type IntentDraft = {
  mode?: '7702'
  /** One step for each, executed in this order. */
  chainBatches: readonly ChainBatch[]
  /** `eip712` by default. */
  signatureType?: SignatureType
  /** From when on it holds, in unix seconds. 0, at once, by default. */
  nbf?: number
  /** Until when it holds, in unix seconds. An hour from now by default. */
  exp?: number
}

export type SendOptions = RunOptions & {
  /** Who signs, and whose account acts. */
  account: SigningAccount
  intents: readonly IntentDraft[]
  /** Instead of those that `send` signs itself. */
  chainAuthorizations?: ChainAuthorization[]
  /** Nodes by chain id, instead of those in `GET /chains`. */
  rpcUrls?: Record<number, string>
  /** Makes a second `send` with the same signed content one action. Random by default. */
  idempotencyKey?: string
}

export type SendCalls = RunCalls & {
  getChains: (options: CallOptions) => Promise<Chain[]>
  createAction: (request: ActionRequest, options: CallOptions & { idempotencyKey?: string }) => Promise<ActionCreated>
  fetch: typeof fetch
}

/** Prepares, signs, creates and carries out an action of signed intents; resolves with the finished action. */
export async function send(calls: SendCalls, options: SendOptions): Promise<Action> {
  const { account, signal, idempotencyKey } = options
  const batches = options.intents.flatMap((intent) => intent.chainBatches)
  const known = await calls.getChains({ signal })
  const chains = [...new Set(batches.map((batch) => batch.chainId))].map((chainId) => findChain(known, chainId))
  const chainAuthorizations =
    options.chainAuthorizations ??
    (await neededAuthorizations({
      account,
      // What the solver alone pays runs nothing in the account.
      chains: chains.filter(({ chainId }) => batches.some((b) => b.chainId === chainId && b.calls.length > 0)),
      rpcUrls: options.rpcUrls ?? {},
      fetch: calls.fetch,
      signal,
    }))
  const intents = []
  for (const { mode: _mode, ...draft } of options.intents) intents.push(await signIntent({ account, ...draft }))
  signal?.throwIfAborted()
  const created = await calls.createAction(
    { user: account.address, chainAuthorizations, intents },
    { signal, ...(idempotencyKey !== undefined && { idempotencyKey }) },
  )
  options.onProgress?.({ type: 'created', ...created })
  return runAction(calls, created.actionId, options)
}

function findChain(chains: readonly Chain[], chainId: number): Chain {
  const chain = chains.find((candidate) => candidate.chainId === chainId)
  if (chain) return chain
  const known = chains.map((candidate) => candidate.chainId).join(', ')
  throw new IntentError(`The service does not work on chain ${chainId}; its chains are ${known}.`)
}
