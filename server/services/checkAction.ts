import { type Address, getAddress, type Hash } from 'viem'
import {
  batchHash,
  intentDigestOf,
  isWellFormedSignature,
  type RecoverAddress,
  recoverAuthorizationSigner,
  recoverDigestSigner,
} from '../../sdk/src/signing.js'
import type { ChainAuthorization, ChainBatch, Intent, SignedIntent } from '../domain/action.js'
import { type ChainConfig, isVault } from '../domain/chainConfig.js'
import type { Issue } from '../domain/errors.js'
import { isRecipientAllowed } from '../domain/recipients.js'
import type { Settings } from '../domain/settings.js'
import { findToken, solverTransfers } from '../domain/solverNeeds.js'
import { isUserBatch } from '../domain/stepKind.js'
import { checkUser } from './checkUser.js'

/** An intent as the request states it: a signed one has no digest yet. */
export type UnverifiedIntent = Omit<SignedIntent, 'digest'> | Exclude<Intent, { mode: '7702' }>

type Draft = { user: Address; chainAuthorizations: ChainAuthorization[] | null; intents: UnverifiedIntent[] }

/**
 * Everything that can be known of an action without the chain. All issues at once; the intents come back with their
 * digests, which are right whether or not there are issues.
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
      issues.push({ path, message: 'is signed as another intent of this action is', code: 'duplicate_intent' })
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
      yield {
        path: `${place}/chainId`,
        message: `chain ${batch.chainId} is not supported; the chains are ${known}`,
        code: 'chain_unsupported',
      }
    }
    if (intent.mode === 'non-7702:presign') continue
    if (intent.mode === '7702') yield* checkSignedBatch(batch, place)
    else yield* checkOnDemandBatch(batch, user, place)
    yield* checkSolverTransfers(intent, batch, user, place, chain)
  }
}

function* checkSignedBatch(batch: ChainBatch, place: string): Generator<Issue> {
  if (batch.calls.length > 0 || solverTransfers(batch).length > 0) return
  yield { path: `${place}/calls`, message: 'may be empty only when the solver pays a transfer', code: 'empty_batch' }
}

function* checkOnDemandBatch(batch: ChainBatch, user: Address, place: string): Generator<Issue> {
  const byUser = isUserBatch(batch)
  const bySolver = solverTransfers(batch).length > 0
  if (!byUser && !bySolver) {
    yield { path: place, message: 'needs a token transfer, or a call with value or data', code: 'empty_batch' }
  }
  if (byUser && bySolver) {
    yield {
      path: place,
      message: 'mixes what the user sends with what the solver pays; make them two batches',
      code: 'mixed_batch',
    }
  }
  for (const [index, transfer] of batch.tokenTransfers.entries()) {
    if (transfer.from === 'solver' || transfer.from === user) continue
    yield {
      path: `${place}/tokenTransfers/${index}/from`,
      message: 'must be the user or "solver": the registered transaction is the user’s',
      code: 'transfer_from_mismatch',
    }
  }
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
      yield {
        path: `${path}/token`,
        message: `the solver has no token ${getAddress(transfer.token)} on chain ${batch.chainId}; see GET /chains`,
        code: 'token_unsupported',
      }
    }
    if (transfer.amount === 0n) {
      yield {
        path: `${path}/amount`,
        message: 'must be at least 1: the solver does not pay nothing',
        code: 'amount_zero',
      }
    }
    if ((chain && isVault(transfer.to, chain)) || !isRecipientAllowed(user, intent as Intent, transfer.to)) {
      yield {
        path: `${path}/to`,
        message: 'the solver pays the user; another recipient needs an intent signed as eip712, and never is the vault',
        code: 'recipient_not_allowed',
      }
    }
  }
}

function* checkWindow(intent: SignedIntent, path: string, nowSeconds: number): Generator<Issue> {
  if (intent.exp < nowSeconds) {
    yield {
      path: `${path}/exp`,
      message: `expired at ${intent.exp}; it is ${nowSeconds} (unix seconds)`,
      code: 'expired',
    }
  }
  if (intent.nbf >= intent.exp) {
    yield { path: `${path}/nbf`, message: 'must be before exp', code: 'window_empty' }
  }
}

function* checkHashes(intent: SignedIntent, expected: Hash[], path: string): Generator<Issue> {
  for (const [index, batch] of intent.chainBatches.entries()) {
    if (batch.hash === expected[index]) continue
    yield {
      path: `${path}/chainBatches/${index}/hash`,
      message: `is not the ${intent.signatureType} hash of this batch, which is ${expected[index]}`,
      code: 'hash_mismatch',
    }
  }
}

async function checkSignature(
  intent: SignedIntent,
  user: Address,
  path: string,
  recover: RecoverAddress,
): Promise<Issue[]> {
  const issues: Issue[] = []
  const signer = await recoverDigestSigner(intent, recover)
  if (!isWellFormedSignature(intent.signature)) {
    issues.push({
      path: `${path}/signature`,
      message: 'must be 65 bytes r, s, v with a low s and v 27 or 28',
      code: 'signature_malformed',
    })
  } else if (signer?.toLowerCase() !== user) {
    issues.push({
      path: `${path}/signature`,
      message: `recovers to ${signer ? getAddress(signer) : 'nobody'}, not to the user: another key, or other content than was signed`,
      code: 'signature_mismatch',
    })
  }
  return issues
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
    issues.push({
      path: `${path}/chainId`,
      message: 'must name one chain; 0 would be valid on all',
      code: 'authorization_chain_invalid',
    })
  } else if (!chain) {
    issues.push({
      path: `${path}/chainId`,
      message: `chain ${authorization.chainId} is not supported`,
      code: 'chain_unsupported',
    })
  } else if (!chain.delegates.includes(authorization.address)) {
    issues.push({
      path: `${path}/address`,
      message: `is not a delegate that is allowed on chain ${authorization.chainId}; see GET /chains`,
      code: 'delegate_not_allowed',
    })
  }
  const signer = await recoverAuthorizationSigner(authorization, recover)
  if (signer?.toLowerCase() !== user) {
    issues.push({
      path,
      message: signer
        ? `recovers to ${getAddress(signer)}, not to the user: another key, or other content than was signed`
        : 'r, s and yParity are no valid signature (EIP-7702 wants a low s and yParity 0 or 1)',
      code: 'authorization_mismatch',
    })
  }
  return issues
}
