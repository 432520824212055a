import { type Address, getAddress, type Hash, zeroAddress } from 'viem'
import {
  batchHash,
  intentDigestOf,
  isWellFormedSignature,
  type RecoverAddress,
  recoverAuthorizationSigner,
  recoverDigestSigner,
} from '../../sdk/src/signing.js'
import type { ChainAuthorization, ChainBatch, Intent, Mode, SignatureType, SignedIntent } from '../domain/action.js'
import { type ChainConfig, isVault } from '../domain/chainConfig.js'
import type { Issue } from '../domain/errors.js'
import { issueAt } from '../domain/issueAt.js'
import { isRecipientAllowed } from '../domain/recipients.js'
import type { Settings } from '../domain/settings.js'
import { oneTransactionFault } from '../domain/oneTransaction.js'
import { findToken, solverTransfers } from '../domain/solverNeeds.js'
import { isUserBatch } from '../domain/stepKind.js'
import { vaultPayments } from '../domain/vaultPayments.js'
import { checkUser } from './checkUser.js'

/** An intent as the request states it: a signed one has no digest yet. */
export type UnverifiedIntent = Omit<SignedIntent, 'digest'> | Exclude<Intent, { mode: '7702' }>

type Draft = { user: Address; chainAuthorizations: ChainAuthorization[] | null; intents: UnverifiedIntent[] }

/**
 * Checks all of an action that can be checked without the chain, and resolves with all issues at once. The intents come
 * back with their digests, which are right whether or not there are issues.
 */
export async function checkAction(
  draft: Draft,
  settings: Settings,
  nowSeconds: number,
  recover: RecoverAddress,
): Promise<{ intents: Intent[]; issues: Issue[] }> {
  const issues: Issue[] = [...checkUser(draft.user, settings)]
  const intents: Intent[] = []
  for (const [index, intent] of draft.intents.entries()) {
    const path = `/intents/${index}`
    issues.push(...checkBatches(intent, draft.user, path, settings))
    if (intent.mode !== '7702') {
      intents.push(intent)
      continue
    }
    const batchHashes = intent.chainBatches.map((batch) => batchHash(intent.signatureType, batch))
    const signed = { ...intent, digest: intentDigestOf({ ...intent, batchHashes }) }
    issues.push(
      ...checkWindow(signed, path, nowSeconds),
      ...checkHashes(signed, batchHashes, path),
      ...(await checkSignature(signed, draft.user, path, recover)),
    )
    if (intents.some((other) => other.mode === '7702' && other.digest === signed.digest)) {
      issues.push(issueAt(path, 'is the same signed intent as another of this action', 'duplicate_intent'))
    }
    intents.push(signed)
  }
  for (const [index, authorization] of (draft.chainAuthorizations ?? []).entries()) {
    const path = `/chainAuthorizations/${index}`
    issues.push(...(await checkAuthorization(authorization, draft.user, path, settings, recover)))
  }
  return { intents, issues }
}

function* checkBatches(intent: UnverifiedIntent, user: Address, path: string, settings: Settings): Generator<Issue> {
  for (const [index, batch] of intent.chainBatches.entries()) {
    const place = `${path}/chainBatches/${index}`
    const chain = settings.chains.get(batch.chainId)
    if (!chain) {
      const known = [...settings.chains.keys()].join(', ')
      const rule = `${batch.chainId} is not supported; the chains are ${known}`
      yield issueAt(`${place}/chainId`, rule, 'chain_unsupported')
    }
    if (intent.mode === 'non-7702:presign') continue
    if (intent.mode === '7702') yield* checkSignedBatch(batch, place, intent.signatureType)
    else yield* checkOnDemandBatch(batch, user, place)
    yield* checkSolverTransfers(intent, batch, user, place, chain)
    if (chain) yield* checkVaultPayments(intent.mode, batch, place, chain)
  }
}

function* checkSignedBatch(batch: ChainBatch, place: string, signatureType: SignatureType): Generator<Issue> {
  // Typed data writes "solver" as the zero address, so that a signature over the one is
  // also a signature over the other.
  for (const [index, { from }] of batch.tokenTransfers.entries()) {
    if (signatureType !== 'eip712' || from !== zeroAddress) continue
    const rule = 'can’t be the zero address in an intent signed as eip712, where that stands for "solver"'
    yield issueAt(`${place}/tokenTransfers/${index}/from`, rule, 'transfer_from_mismatch')
  }
  if (batch.calls.length > 0 || solverTransfers(batch).length > 0) return
  yield issueAt(`${place}/calls`, 'may be empty only when the solver pays a transfer', 'empty_batch')
}

function* checkOnDemandBatch(batch: ChainBatch, user: Address, place: string): Generator<Issue> {
  const byUser = isUserBatch(batch)
  const bySolver = solverTransfers(batch).length > 0
  if (byUser && bySolver) {
    yield issueAt(place, 'mixes what the user sends with what the solver pays; make them two batches', 'mixed_batch')
  }
  for (const [index, transfer] of batch.tokenTransfers.entries()) {
    if (transfer.from === 'solver' || transfer.from === user) continue
    yield issueAt(
      `${place}/tokenTransfers/${index}/from`,
      'must be the user or "solver": the registered transaction is the user’s',
      'transfer_from_mismatch',
    )
  }
  const fault = oneTransactionFault(batch)
  if (fault) yield issueAt(`${place}/${fault.at}`, fault.rule, 'contradictory_batch')
}

function* checkSolverTransfers(
  intent: UnverifiedIntent,
  batch: ChainBatch,
  user: Address,
  place: string,
  chain: ChainConfig | undefined,
): Generator<Issue> {
  for (const [index, transfer] of batch.tokenTransfers.entries()) {
    if (transfer.from !== 'solver') continue
    const path = `${place}/tokenTransfers/${index}`
    if (chain && !findToken(chain, transfer.token)) {
      const rule = `${getAddress(transfer.token)} is none of the solver's on chain ${batch.chainId}; see GET /chains`
      yield issueAt(`${path}/token`, rule, 'token_unsupported')
    }
    if (transfer.amount === 0n) {
      yield issueAt(`${path}/amount`, 'must be at least 1: the solver does not pay nothing', 'amount_zero')
    }
    const isNever = transfer.to === zeroAddress || (chain && isVault(transfer.to, chain))
    if (isNever || !isRecipientAllowed(user, intent as Intent, transfer.to)) {
      yield issueAt(
        `${path}/to`,
        'must be the user: another recipient needs an intent signed as eip712, and never is the vault or the zero address',
        'recipient_not_allowed',
      )
    }
  }
}

/** A payment to the vault in a token that the service does not know would be nobody's credit, and buys nothing. */
function* checkVaultPayments(mode: Mode, batch: ChainBatch, place: string, chain: ChainConfig): Generator<Issue> {
  for (const { token, where } of vaultPayments(batch, chain)) {
    if (findToken(chain, token)) continue
    const { list, index, field } = where
    const isOnlyCall = list === 'calls' && mode !== '7702'
    const at = isOnlyCall ? 'call' : `${list}/${index}`
    const payment = field === 'token' ? '' : field === 'to' ? 'pays the vault ' : 'pays the vault the native currency, '
    const rule = `${payment}${getAddress(token)} is none of the service's on chain ${chain.chainId}, so that the vault can't take it as credit; see GET /chains`
    yield issueAt(`${place}/${at}/${field}`, rule, 'token_unsupported')
  }
}

function* checkWindow(intent: SignedIntent, path: string, nowSeconds: number): Generator<Issue> {
  if (intent.exp < nowSeconds) {
    yield issueAt(`${path}/exp`, `${intent.exp} is in the past; it is ${nowSeconds} (unix seconds)`, 'expired')
  }
  if (intent.nbf >= intent.exp) {
    yield issueAt(`${path}/nbf`, 'must be before exp', 'window_empty')
  }
}

function* checkHashes(intent: SignedIntent, expected: Hash[], path: string): Generator<Issue> {
  for (const [index, batch] of intent.chainBatches.entries()) {
    if (batch.hash === expected[index]) continue
    const rule = `is not the ${intent.signatureType} hash of this batch, which is ${expected[index]}`
    yield issueAt(`${path}/chainBatches/${index}/hash`, rule, 'hash_mismatch')
  }
}

async function checkSignature(
  intent: SignedIntent,
  user: Address,
  path: string,
  recover: RecoverAddress,
): Promise<Issue[]> {
  const place = `${path}/signature`
  const signer = await recoverDigestSigner(intent, recover)
  if (!isWellFormedSignature(intent.signature)) {
    return [issueAt(place, 'must be 65 bytes r, s, v with a low s and v 27 or 28', 'signature_malformed')]
  }
  return signer?.toLowerCase() === user ? [] : [issueAt(place, recoversTo(signer), 'signature_mismatch')]
}

function recoversTo(signer: Address | null): string {
  return `recovers to ${signer ? getAddress(signer) : 'nobody'}, not to the user: another key, or other content than was signed`
}

async function checkAuthorization(
  authorization: ChainAuthorization,
  user: Address,
  path: string,
  settings: Settings,
  recover: RecoverAddress,
): Promise<Issue[]> {
  const issues: Issue[] = []
  const chain = settings.chains.get(authorization.chainId)
  if (authorization.chainId === 0) {
    const rule = 'must name one chain; 0 would be valid on all'
    issues.push(issueAt(`${path}/chainId`, rule, 'authorization_chain_invalid'))
  } else if (!chain) {
    issues.push(issueAt(`${path}/chainId`, `${authorization.chainId} is not supported`, 'chain_unsupported'))
  } else if (!chain.delegates.includes(authorization.address)) {
    const rule = `is not a delegate that is allowed on chain ${authorization.chainId}; see GET /chains`
    issues.push(issueAt(`${path}/address`, rule, 'delegate_not_allowed'))
  }
  const signer = await recoverAuthorizationSigner(authorization, recover)
  if (signer?.toLowerCase() !== user) {
    const rule = signer
      ? recoversTo(signer)
      : 'has no valid signature in r, s and yParity (EIP-7702 wants a low s and yParity 0 or 1)'
    issues.push(issueAt(path, rule, 'authorization_mismatch'))
  }
  return issues
}
