import type { SignatureType } from './digests.js'
import { IntentError } from './errors.js'
import { isText } from './isText.js'

/**
 * Checks of what is given, for those whom no types hold: each error names the place and the rule. What it lets
 * pass, the service may still refuse.
 */

/** An intent of mode `7702` before it is signed. */
export function checkDraft(draft: unknown, at = 'intent'): void {
  const { mode, chainBatches, signatureType } = asObject(draft, at)
  if (mode !== undefined && mode !== '7702') fail(`${at}.mode`, '7702 (see sendOnDemand)', mode)
  if (signatureType !== undefined && signatureType !== 'eip712' && signatureType !== 'ecdsa')
    fail(`${at}.signatureType`, "'eip712' or 'ecdsa'", signatureType)
  for (const [index, batch] of asFilledList(chainBatches, `${at}.chainBatches`).entries()) {
    const place = `${at}.chainBatches[${index}]`
    const { calls } = checkBatch(batch, place)
    asList(calls, `${place}.calls`).forEach((call, number) => checkCall(call, `${place}.calls[${number}]`))
  }
}

/** What all kinds of batches have: a chain, and what is to move there. */
export function checkBatch(batch: unknown, at: string): Record<string, unknown> {
  const given = asObject(batch, at)
  const { chainId, tokenTransfers } = given
  if (!isWholeFrom(chainId, 1)) fail(`${at}.chainId`, 'a whole number above 0', chainId)
  for (const [index, transfer] of asList(tokenTransfers, `${at}.tokenTransfers`).entries()) {
    const place = `${at}.tokenTransfers[${index}]`
    const { from, to, token, amount } = asObject(transfer, place)
    if (from !== 'solver') asAddress(from, `${place}.from`, "an address or 'solver'")
    asAddress(to, `${place}.to`)
    if (token !== '0x0') asAddress(token, `${place}.token`)
    asAmount(amount, `${place}.amount`)
  }
  return given
}

export function checkCall(call: unknown, at: string): void {
  const { to, value, data } = asObject(call, at)
  asAddress(to, `${at}.to`)
  asAmount(value, `${at}.value`)
  if (!isText(data, /^0x([0-9a-fA-F]{2})*$/)) fail(`${at}.data`, 'bytes as 0x and hex digits', data)
}

export function checkAccount(account: unknown, at = 'account'): void {
  const { address } = asObject(account, at)
  asAddress(address, `${at}.address`)
}

/** Whom a signature is asked of. */
export function checkSigner(account: unknown, signatureType?: SignatureType): void {
  const method = signatureType === 'ecdsa' ? 'signMessage' : 'signTypedData'
  const given = asObject(account, 'account')
  // Signers of ethers take domain, types and value one by one, in version 5 by another name. viem's take one object.
  if ((Object(given._signTypedData ?? given.signTypedData) as { length?: number }).length! > 2) {
    throw new IntentError('account is a signer of ethers; wrap it as in the README.')
  }
  if (typeof given[method] === 'function') return
  throw new IntentError("account can't sign; give a local account or walletAccount(walletClient).")
}

/** What an EIP-7702 authorization says. Encoders take what is no number for 0, and so for every chain. */
export function checkAuthorization(authorization: unknown, at: string, name = 'address'): void {
  const { [name]: delegate, chainId, nonce } = asObject(authorization, at)
  asAddress(delegate, `${at}.${name}`, 'the address of a delegate')
  if (!isWholeFrom(chainId, 1)) fail(`${at}.chainId`, 'a whole number above 0 (that is every chain)', chainId)
  asIndex(nonce, `${at}.nonce`)
}

export function checkAuthorizations(list: unknown, at: string): void {
  asList(list, at).forEach((authorization, index) => checkAuthorization(authorization, `${at}[${index}]`))
}

export function checkRegistration({ actionId, intentIndex, stepIndex, hash }: Record<string, unknown>): void {
  if (String(actionId).length !== 36) fail('actionId', 'a UUID', actionId)
  asIndex(intentIndex, 'intentIndex')
  asIndex(stepIndex, 'stepIndex')
  checkHash(hash, 'hash')
}

export function checkHash(hash: unknown, at: string): void {
  if (!isText(hash, /^0x[0-9a-fA-F]{64}$/)) fail(at, '0x and 64 hex digits', hash)
}

export function asFilledList(value: unknown, at: string): unknown[] {
  const list = asList(value, at)
  if (list.length === 0) throw new IntentError(`${at} is empty.`)
  return list
}

function asList(value: unknown, at: string): unknown[] {
  return Array.isArray(value) ? value : fail(at, 'a list', value)
}

export function asObject(value: unknown, at: string): Record<string, unknown> {
  return typeof value === 'object' && value && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : fail(at, 'an object, no list', value)
}

export function asAddress(value: unknown, at: string, wanted = 'an address (0x and 40 hex digits)'): void {
  if (!isText(value, /^0x[0-9a-fA-F]{40}$/)) fail(at, wanted, value)
}

function asAmount(value: unknown, at: string): void {
  if (typeof value !== 'bigint' || value < 0n || value >= 2n ** 256n)
    fail(at, 'a bigint below 2^256, not negative', value)
}

export function asIndex<T>(value: T, at: string): T {
  return isWholeFrom(value, 0) ? value : fail(at, 'a whole number, not negative', value)
}

/** A part of a path: without it, or with dots, that would be another one. */
export function asName(value: unknown, at: string): string {
  const name = String(value ?? '')
  if (/^\.{0,2}$/.test(name)) throw new IntentError(`${at} is ${name ? 'no name' : 'missing'}.`)
  return name
}

export function isWholeFrom(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least
}

/**
 * Keys get mistaken for accounts and addresses, and messages get logged: neither the one nor anything long is quoted.
 */
export function fail(at: string, wanted: string, value: unknown): never {
  const text = Object(value) === value ? '' : ` ${String(value)}`
  const plain = /^(account|user)\b/.test(at) ? '' : text.length > 43 ? ` of ${text.length - 1} characters` : text
  const given = value === null ? value : value === undefined ? 'missing' : `the ${typeof value}${plain}`
  throw new IntentError(`${at} has to be ${wanted}; it is ${given}.`)
}
