import type { Address, Hash, Hex, LocalAccount } from 'viem'
import { checkAuthorization, checkDraft, checkRegistration, checkSigner, fail, isWholeFrom } from './checkInput.js'
import {
  batchHash,
  type ChainBatch,
  intentDigest,
  intentTypedData,
  registrationTypedData,
  type SignatureType,
  type SignedAuthorization,
} from './digests.js'
import { CannotAuthorizeError, IntentError } from './errors.js'
import { hashText } from './keccak256.js'
import { randomKey } from './randomKey.js'

/**
 * Who signs: a viem account that holds its key, such as `privateKeyToAccount` gives, or `walletAccount` of a wallet
 * client, which lacks `signAuthorization`.
 */
export type SigningAccount = Pick<LocalAccount, 'address' | 'signMessage' | 'signTypedData' | 'signAuthorization'>

/** An intent as `createAction` takes it. */
export type SignedIntent = {
  mode: '7702'
  signatureType: SignatureType
  signature: Hex
  /** Unix seconds; 0 means at once. */
  nbf: number
  /** Unix seconds, inclusive. */
  exp: number
  chainBatches: readonly (ChainBatch & { hash: Hash })[]
}

/** How long an intent is valid from now on where nothing else is asked for. */
const defaultLifetimeSeconds = 3600
/** Unix seconds are below it for three thousand years, milliseconds above it since 1973. */
const latestSeconds = 1e11
/** `exp` of the legacy endpoint for one that never expires. */
const neverExpires = 2 ** 53 - 1
/** In 2004. */
const longPastSeconds = 2 ** 30

/**
 * Signs one intent for all its chains. `eip712` by default, which covers the token transfers too and which a wallet
 * can show; it holds at once, and `exp` is an hour from now by default, in unix seconds. Without an `nbf` it is given a
 * random second long past, so that one more intent with the same batches is another one, and is carried out as well.
 */
export async function signIntent(intent: {
  account: Pick<SigningAccount, 'signMessage' | 'signTypedData'>
  chainBatches: readonly ChainBatch[]
  signatureType?: SignatureType | undefined
  nbf?: number | undefined
  exp?: number | undefined
}): Promise<SignedIntent> {
  const { account, chainBatches, signatureType = 'eip712' } = intent
  checkDraft({ chainBatches, signatureType })
  checkSigner(account, signatureType)
  const window = windowOf(intent, intent.nbf === undefined ? randomKey('nbf') : '')
  const unsigned = { signatureType, ...window, chainBatches }
  const signature =
    signatureType === 'ecdsa'
      ? await account.signMessage({ message: { raw: intentDigest(unsigned) } })
      : await account.signTypedData(intentTypedData(unsigned))
  return {
    mode: '7702',
    signatureType,
    signature: withCommonV(signature),
    ...window,
    chainBatches: chainBatches.map((batch) => ({
      hash: batchHash(signatureType, batch),
      chainId: batch.chainId,
      tokenTransfers: [...batch.tokenTransfers],
      calls: [...batch.calls],
    })),
  }
}

/**
 * When an intent holds. What is signed has no other nonce, and the service takes the same intent only once: so one that
 * names no `nbf` holds from a second long past, which the key chooses.
 */
export function windowOf(
  given: { nbf?: number | undefined; exp?: number | undefined },
  key: string,
): { nbf: number; exp: number } {
  const exp = given.exp ?? Math.floor(Date.now() / 1000) + defaultLifetimeSeconds
  requireSeconds('exp', exp)
  const chosen = Number(hashText(key).slice(0, 10))
  const window = { nbf: given.nbf ?? chosen % Math.min(longPastSeconds, Math.max(exp, 1)), exp }
  requireWindow(window)
  return window
}

/** Throws for an intent that would hold at no time, or for ever by a slip. */
export function requireWindow({ nbf, exp }: Pick<SignedIntent, 'nbf' | 'exp'>): void {
  requireSeconds('nbf', nbf)
  requireSeconds('exp', exp)
  if (nbf >= exp) throw new IntentError(`nbf ${nbf} is not before exp ${exp}.`)
}

function requireSeconds(name: string, value: number): void {
  if (typeof value !== 'number') fail(name, 'a number of seconds', value)
  if (!isWholeFrom(value, 0) || (value > latestSeconds && value !== neverExpires)) {
    throw new IntentError(`${name} has to be in whole unix seconds, not milliseconds; it is ${value}.`)
  }
}

/**
 * Signs an EIP-7702 tuple that lets the account borrow the delegate's code on one chain. `nonce` is the account's
 * transaction count there. Chain id 0, which would mean every chain, is refused, and so is what would be encoded as 0.
 */
export async function signAuthorization(authorization: {
  account: Pick<SigningAccount, 'signAuthorization'>
  delegate: Address
  chainId: number
  nonce: number
}): Promise<SignedAuthorization & { yParity: 0 | 1 }> {
  const { account, delegate, chainId, nonce } = authorization
  const draft = { address: delegate, chainId, nonce }
  checkAuthorization(authorization, 'authorization', 'delegate')
  if (!account.signAuthorization) throw new CannotAuthorizeError([draft])
  const { r, s, v, yParity } = await account.signAuthorization({ ...draft })
  return { ...draft, r, s, yParity: yParity === 1 || v === 28n ? 1 : 0 }
}

/**
 * Signs that a payment belongs to a step, so that nobody else can claim it; `registerStep` and `executeStep` take it.
 */
export async function signRegistration(registration: {
  account: Pick<SigningAccount, 'signTypedData'>
  actionId: string
  intentIndex: number
  stepIndex: number
  /** The payment's transaction. */
  hash: Hash
}): Promise<Hex> {
  checkSigner(registration.account)
  checkRegistration(registration)
  return withCommonV(await registration.account.signTypedData(registrationTypedData(registration)))
}

/** Some signers end with 0 or 1 where the service and the contracts want 27 or 28. */
function withCommonV(signature: Hex): Hex {
  const v = parseInt(signature.slice(-2), 16)
  return v > 1 ? signature : `${signature.slice(0, -2) as Hex}${(v + 27).toString(16)}`
}
