import type { Address, Hash } from 'viem'
import { abortable, throwIfAborted } from './abortable.js'
import type { ActionRequest, Chain, ChainAuthorization } from './amounts.js'
import { type AuthorizationDraft, neededAuthorizations } from './authorizations.js'
import {
  authorizationDigest,
  type ChainBatch,
  intentDigest,
  type SignatureType,
  type UnsignedIntent,
} from './digests.js'
import { CannotAuthorizeError, IntentError } from './errors.js'
import { checkExpectation, checkPins, type Expectation, findChains, isSame, pin, type PinnedChain } from './pins.js'
import { asFilledList, checkAccount, checkAuthorizations, checkDraft, checkSigner } from './checkInput.js'
import { hashAll } from './keccak256.js'
import { randomKey } from './randomKey.js'
import { requireWindow, signAuthorization, signIntent, type SigningAccount, windowOf } from './sign.js'
import type { SendRequest } from './transport.js'
import type { CallOptions } from './wire.js'

/** An intent of mode `7702` that is yet to be signed. */
export type IntentDraft = {
  mode?: '7702' | undefined
  /** One step for each, executed in this order. */
  chainBatches: readonly ChainBatch[]
  /** `eip712` by default. */
  signatureType?: SignatureType | undefined
  /** From when on it holds, in unix seconds. By default a second long past that `idempotencyKey` chooses: at once. */
  nbf?: number | undefined
  /** Until when it holds, in unix seconds. An hour from now by default. */
  exp?: number | undefined
}

export type PrepareOptions = {
  /** Who is to sign, and whose account acts. */
  account: Pick<SigningAccount, 'address' | 'signAuthorization'>
  intents: readonly IntentDraft[]
  /** The contracts that you trust, instead of the client's. */
  expect?: Expectation | undefined
  /** Instead of those that would be signed. */
  chainAuthorizations?: readonly ChainAuthorization[] | undefined
  /** Nodes by chain id, instead of those in `GET /chains`. */
  rpcUrls?: Record<number, string> | undefined
  /**
   * What the intents are told apart by from others with the same batches: each chooses its `nbf`. Random by default.
   */
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
}

/** All that is to be signed, before it is. Show it, compare it, then give it to `signAction`. */
export type PreparedAction = {
  user: Address
  /** `digest` names the intent, on chain and off; computed here. */
  intents: (UnsignedIntent & { digest: Hash })[]
  /** The authorizations that the account has to sign. */
  authorizations: AuthorizationDraft[]
  /** Those that were signed before. */
  chainAuthorizations: ChainAuthorization[]
  /** Of delegate, chain and nonce of both kinds of authorizations, in this order; computed here. */
  authorizationsDigest: Hash
  /** The contracts that it is prepared for; `signAction` refuses others. */
  chains: PinnedChain[]
}

type PinCalls = {
  /** Checks and remembers nothing, unlike the client's `getChains`. */
  readChains: (options: CallOptions) => Promise<Chain[]>
  /** The contracts as the caller has seen them. */
  seen: () => readonly PinnedChain[]
  expect: Expectation | undefined
}

export type PrepareCalls = PinCalls & {
  /** How the chains' nodes are asked: with the client's timeout and retries. */
  nodeSend: (signal: AbortSignal | undefined) => SendRequest
}

/** Finds out what has to be signed for these intents; signs nothing. */
export async function prepareAction(calls: PrepareCalls, options: PrepareOptions): Promise<PreparedAction> {
  const { account, signal, chainAuthorizations: given, idempotencyKey = randomKey(), expect = calls.expect } = options
  checkAccount(account)
  asFilledList(options.intents, 'intents').forEach((draft, index) => checkDraft(draft, `intents[${index}]`))
  const drafts = options.intents.map(({ chainBatches, signatureType = 'eip712', ...draft }, index) => {
    return { signatureType, ...windowOf(draft, `${idempotencyKey} ${index}`), chainBatches }
  })
  const batches = options.intents.flatMap((intent) => intent.chainBatches)
  const chains = await checkedChains(calls, chainIdsOf(batches), { expect, signal })
  checkSigned(given ?? [], expect)
  // What the solver alone pays runs nothing in the account.
  const acting = chains.filter(({ chainId }) => batches.some((b) => b.chainId === chainId && b.calls.length > 0))
  // Who names the contract that he trusts trusts no other.
  const trusted = expect?.delegates ? acting.map((chain) => ({ ...chain, delegates: [chain.delegate] })) : acting
  const authorizations = given
    ? []
    : await neededAuthorizations({
        user: account.address,
        chains: trusted,
        rpcUrls: options.rpcUrls ?? {},
        send: calls.nodeSend(signal),
        signal,
      })
  if (authorizations.length > 0 && !account.signAuthorization) throw new CannotAuthorizeError(authorizations)
  const intents = drafts.map((draft) => ({ ...draft, digest: intentDigest(draft) }))
  const all = { authorizations, chainAuthorizations: [...(given ?? [])] }
  return {
    user: account.address,
    intents,
    ...all,
    authorizationsDigest: digestAuthorizations(all),
    chains: chains.map(pin),
  }
}

export type SignOptions = {
  account: SigningAccount
  /** The contracts that you trust, instead of the client's: what `prepareAction` was given. */
  expect?: Expectation | undefined
  signal?: AbortSignal | undefined
}

/**
 * Signs what was prepared, and gives the body for `createAction`. Refuses intents and authorizations that are not those
 * of the digests, authorizations for other contracts than the delegates of the intents' chains, and contracts that the
 * service has exchanged since or that are not those expected.
 */
export async function signAction(
  calls: PinCalls,
  prepared: PreparedAction,
  { account, expect = calls.expect, signal }: SignOptions,
): Promise<ActionRequest> {
  checkAccount(account)
  prepared.intents.forEach((intent, index) => {
    checkDraft(intent, `intents[${index}]`)
    checkSigner(account, intent.signatureType)
  })
  if (!isSame(account.address, prepared.user)) {
    throw new IntentError(`The action is prepared for ${prepared.user}, not ${account.address}.`)
  }
  if (prepared.intents.some((intent) => intentDigest(intent) !== intent.digest)) {
    throw new IntentError('An intent was altered after it was prepared.')
  }
  // Before an authorization is signed, which would be good without any intent.
  prepared.intents.forEach(requireWindow)
  checkSigned(prepared.chainAuthorizations, expect)
  // Those of the intents: the list of chains may have been shortened, so that there would be nothing to compare.
  const chainIds = chainIdsOf(prepared.intents.flatMap((intent) => intent.chainBatches))
  const now = (await checkedChains(calls, chainIds, { expect, signal })).map(pin)
  checkPins(now, { seen: prepared.chains })
  requirePrepared(prepared, now)
  const chainAuthorizations = [...prepared.chainAuthorizations]
  // Nothing but what was checked: what else stands in it may be anybody's.
  for (const { address: delegate, chainId, nonce } of prepared.authorizations) {
    chainAuthorizations.push(await abortable(() => signAuthorization({ account, delegate, chainId, nonce }), signal))
  }
  const intents = []
  for (const { digest: _digest, ...intent } of prepared.intents) {
    intents.push(await abortable(() => signIntent({ ...intent, account }), signal))
  }
  throwIfAborted(signal)
  return { user: prepared.user, chainAuthorizations, intents }
}

/** The chains with these ids, as long as their contracts are those expected and those that the caller has seen. */
export async function checkedChains(
  calls: PinCalls,
  chainIds: readonly number[],
  { expect = calls.expect, ...how }: CallOptions & { expect?: Expectation | undefined },
): Promise<Chain[]> {
  checkExpectation(expect)
  const chains = findChains(await calls.readChains(how), chainIds)
  checkPins(chains.map(pin), { expect, seen: calls.seen() })
  return chains
}

/** An authorization that was signed elsewhere is held to the same list of delegates. */
function checkSigned(authorizations: readonly ChainAuthorization[], expect: Expectation | undefined): void {
  checkAuthorizations(authorizations, 'chainAuthorizations')
  if (!expect?.delegates) return
  const authorized = authorizations.map(({ chainId, address }) => ({ chainId, delegate: address }))
  checkPins(authorized, { expect: { delegates: expect.delegates }, seen: [] })
}

/** An authorization hands the account over to a contract, so that has to be the delegate of a chain that is meant. */
function requirePrepared(prepared: PreparedAction, now: readonly PinnedChain[]): void {
  const { chains, authorizations } = prepared
  checkAuthorizations(authorizations, 'authorizations')
  const isPrepared = ({ chainId }: PinnedChain) => chains.some((chain) => chain.chainId === chainId)
  const isMeant = ({ chainId, address }: AuthorizationDraft) =>
    now.some((chain) => chain.chainId === chainId && isSame(chain.delegate, address))
  const isWhole = digestAuthorizations(prepared) === prepared.authorizationsDigest
  if (!(isWhole && now.every(isPrepared) && authorizations.every(isMeant))) {
    throw new IntentError('A chain or an authorization was altered, added or left out after it was prepared.')
  }
}

/** What the authorizations allow. A signature is no part of it: another one allows the same, or nothing. */
function digestAuthorizations(parts: Pick<PreparedAction, 'authorizations' | 'chainAuthorizations'>): Hash {
  return hashAll([...parts.authorizations, ...parts.chainAuthorizations].map(authorizationDigest))
}

function chainIdsOf(parts: readonly { chainId: number }[]): number[] {
  return parts.map(({ chainId }) => chainId)
}
