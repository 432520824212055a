import { readdirSync, readFileSync } from 'node:fs'
import { operationIds } from '../../server/api/generated/operations.gen.js'
import type { OperationId } from '../../server/api/handlerTypes.js'
import { startsWork } from '../../server/api/operationTraits.js'
import { type ServiceErrorCode, serviceErrorCodes } from '../../server/domain/errors.js'

type Raised = Partial<Record<ServiceErrorCode, readonly OperationId[]>>

/** What the document tells of the operations. */
export type Groups = Record<'all' | 'withInput' | 'withBody' | 'limited' | 'onDatabase', readonly OperationId[]>

/** Any path can answer these; the introduction of the spec says so, not each operation. */
const anywhere: readonly OperationId[] = []
const ofAction = ['getAction', 'getIntent', 'getStep', 'executeStep', 'streamActionEvents'] as const

/** By file of the server, the codes that stand in it as refusals, and the operations that they reach. */
export function raisedIn(groups: Groups): Record<string, Raised> {
  return {
    'api/app.ts': { internal_error: groups.all, unavailable: groups.onDatabase },
    'api/eventStreams.ts': { rate_limited: ['streamActionEvents'] },
    'api/handlers/actions.ts': {
      validation_failed: ['listActions'],
      chain_authorizations_required: ['createAction'],
    },
    'api/handlers/health.ts': { unavailable: ['getHealth', 'getReadiness'] },
    'api/handlers/requireActionId.ts': { not_found: ofAction },
    'api/handlers/venueTxHashes.ts': { not_found: ['verifyVenueTxHash'] },
    'api/connections/httpServer.ts': { validation_failed: anywhere, payload_too_large: anywhere },
    'api/replies/otherMethods.ts': { method_not_allowed: anywhere },
    'api/rateLimit.ts': { rate_limited: groups.limited },
    'api/requests/receiveBody.ts': {
      payload_too_large: groups.withBody,
      unsupported_media_type: groups.withBody,
      unavailable: groups.withBody,
    },
    'api/replies/refusals.ts': { validation_failed: groups.withInput, missing_fields: ['recordVenueTxHash'] },
    'api/requests/requireDecodable.ts': { validation_failed: anywhere },
    'api/router.ts': { not_found: anywhere },
    'api/staticFiles.ts': { not_found: anywhere },
    'domain/request.ts': {
      previous_step_incomplete: ['executeStep'],
      mode_not_implemented: ['executeStep'],
      hash_required: ['executeStep'],
      hash_not_allowed: ['executeStep'],
      transaction_already_registered: ['executeStep'],
      registration_signature_required: ['executeStep'],
      // As a step's code there.
      insufficient_credit: [],
    },
    'engine/depositQueue.ts': { deposit_mismatch: ['recordDeposit'] },
    'services/actions.ts': {
      validation_failed: ['createAction', 'submitTransaction'],
      duplicate_intent: ['createAction', 'submitTransaction'],
      idempotency_key_reused: ['createAction'],
      not_found: ['getAction', 'getIntent', 'getStep'],
    },
    'services/airdrops.ts': {
      airdrop_unavailable: ['requestAirdrop'],
      airdrop_cooldown: ['requestAirdrop'],
    },
    'services/deposits.ts': {
      chain_unsupported: ['recordDeposit'],
      token_unsupported: ['recordDeposit'],
    },
    'services/draining.ts': { draining: [...startsWork] },
    'services/events.ts': { not_found: ['streamActionEvents'] },
    'services/legacy.ts': { not_found: ['getLegacyStepStatus'] },
    'services/refuseIssue.ts': { validation_failed: ['recordDeposit', 'requestAirdrop'] },
    'services/steps.ts': {
      not_found: ['executeStep'],
      hash_not_allowed: ['executeStep'],
      hash_required: ['executeStep'],
      registration_signature_mismatch: ['executeStep'],
      recipient_not_allowed: ['executeStep'],
      // A transaction that is sent again answers what was stored, and asks for its steps anew.
      chain_unsupported: ['executeStep', 'submitTransaction'],
      token_unsupported: ['executeStep'],
    },
    'services/venueTxHashes.ts': { not_found: ['verifyVenueTxHash'] },
    'store/money/bookDeposit.ts': {
      transaction_already_used: ['recordDeposit'],
      deposit_mismatch: ['recordDeposit'],
      withdrawal_exceeds_balance: ['recordDeposit'],
    },
    'store/stepRequests.ts': {
      not_found: ['executeStep'],
      transaction_already_used: ['executeStep'],
      insufficient_credit: ['executeStep'],
    },
  }
}

/** Files in which such words are something else: lists of codes, or codes of steps and of issues. */
const otherWords = [
  'domain/errors.ts',
  'api/replies/problem.ts',
  'process/metrics.ts',
  'services/checkAction.ts',
  'engine/steps/adoptIfDone.ts',
  'engine/steps/refusals.ts',
  'engine/steps/reserve.ts',
  'store/journal/reorganisations.ts',
  'store/journal/settlement.ts',
]

/** By file, the codes that its source has in quotes. */
export function codesInSources(): Record<string, ServiceErrorCode[]> {
  const files = readdirSync('server', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.includes('generated') && !otherWords.includes(file),
  )
  return Object.fromEntries(
    files.flatMap((file) => {
      const source = readFileSync(`server/${file}`, 'utf8')
      const codes = serviceErrorCodes.filter((code) => source.includes(`'${code}'`))
      return codes.length > 0 ? [[file, codes]] : []
    }),
  )
}

/** By operation, every code that it can answer, in the order of the list. */
export function codesOfOperations(groups: Groups): Record<string, ServiceErrorCode[]> {
  const entries = Object.values(raisedIn(groups)).flatMap(
    (raised) => Object.entries(raised) as [ServiceErrorCode, readonly OperationId[]][],
  )
  return Object.fromEntries(
    operationIds.map((operationId) => [
      operationId,
      serviceErrorCodes.filter((code) =>
        entries.some(([raised, operations]) => raised === code && operations.includes(operationId)),
      ),
    ]),
  )
}
