import { hash } from 'node:crypto'
import { type Address, type Hash, stringToHex } from 'viem'
import { keccak256 } from '../../sdk/src/keccak256.js'
import type { RecoverAddress } from '../../sdk/src/signing.js'
import type { Action, ChainAuthorization, ChainBatch, Status, StepRef } from '../domain/action.js'
import { writeAmounts } from '../domain/amountsJson.js'
import { type Issue, maxIssues, ServiceError } from '../domain/errors.js'
import { requiredConfirmations } from '../domain/finality.js'
import { issueAt } from '../domain/issueAt.js'
import type { CountFor } from '../domain/rateLimit.js'
import type { Settings } from '../domain/settings.js'
import type { ActionView, IntentView, StepView } from '../domain/views.js'
import type { Store } from '../store/store.js'
import { createActionIds } from './actionIds.js'
import { checkAction, type UnverifiedIntent } from './checkAction.js'

export type CreateRequest = {
  user: Address
  /** Null: the request had none. */
  chainAuthorizations: ChainAuthorization[] | null
  intents: UnverifiedIntent[]
  /** Null: the request had none. */
  idempotencyKey: string | null
  /** Called for what is new and signed. Null: nothing is counted. */
  countFor: CountFor | null
}

export type ActionsService = ReturnType<typeof createActions>

export function createActions(deps: { store: Store; settings: Settings; recover: RecoverAddress; now: () => number }) {
  const { store, settings } = deps
  const newActionId = createActionIds()

  return {
    /**
     * Checks an action off-chain (hashes, signatures, authorizations, time windows, recipients) and stores it whole.
     * The same signed intent or idempotency key with the same body answers with what was stored first. Throws
     * `ServiceError`, and stores nothing, for what may not be: `validation_failed` with an issue for each rule that is
     * broken and its place in the body, `idempotency_key_reused`, `duplicate_intent`, or `rate_limited`.
     */
    async create(request: CreateRequest): Promise<{ actionId: string; intentIds: string[]; replayed: boolean }> {
      const now = deps.now()
      // The hash is of the request as it was read, so that letter case and unknown fields make no difference.
      const bodyHash = fingerprintOf({
        user: request.user,
        chainAuthorizations: request.chainAuthorizations,
        intents: request.intents,
      })
      const checked = await checkAction(request, settings, Math.floor(now / 1000), deps.recover)
      const action: Action = {
        actionId: newActionId(now),
        user: request.user,
        chainAuthorizations: request.chainAuthorizations ?? [],
        intents: checked.intents,
      }
      const entry = {
        action,
        bodyHash,
        signedKeys: action.intents.map((i) => (i.mode === '7702' ? hashOf([action.user, i.digest]) : null)),
        signatureHashes: action.intents.map((i) => (i.mode === '7702' ? keccak256(i.signature) : null)),
        idempotencyKeyHash: request.idempotencyKey === null ? null : hashOf([action.user, request.idempotencyKey]),
        requiredConfirmations: ({ chainId, tokenTransfers }: ChainBatch) =>
          requiredConfirmations(settings.chains.get(chainId)!, tokenTransfers),
        now,
      }
      const isSigned = checked.issues.length === 0 && action.intents.some(({ mode }) => mode === '7702')
      // A signed intent is public once it is on chain: anybody may repeat it, so that is not counted against its user.
      if (request.countFor && isSigned && !(await store.findKnownAction(entry))) await request.countFor(action.user)
      // A repetition is answered by what was stored, even if the request would be refused by now (as expired, say).
      const stored = checked.issues.length === 0 ? await store.insertAction(entry) : await store.findKnownAction(entry)
      if (!stored || (stored.outcome !== 'existing' && checked.issues.length > 0)) throw refusal(checked.issues)
      switch (stored.outcome) {
        case 'created':
          return { ...identifiers(action.actionId, action.intents.length), replayed: false }
        case 'existing':
          return { ...identifiers(stored.actionId, action.intents.length), replayed: stored.by === 'key' }
        case 'keyReused':
          throw refusal([
            {
              path: '',
              message: 'Idempotency-Key: it was used with another body within the last 24 hours',
              code: 'idempotency_key_reused',
            },
          ])
        case 'duplicateIntent':
          throw refusal([
            issueAt(
              `/intents/${stored.intentIndex}`,
              'is a signed intent that belongs to another action already',
              'duplicate_intent',
            ),
          ])
      }
    },

    async action(actionId: string): Promise<ActionView> {
      const view = await store.readAction(actionId)
      if (!view) throw new ServiceError('not_found', 'Action not found')
      return view
    },

    async intent(actionId: string, intentIndex: number): Promise<IntentView> {
      const view = await store.readIntent(actionId, intentIndex)
      if (!view) throw new ServiceError('not_found', 'Intent not found')
      return view
    },

    /** A page, newest first. `next` is the `before` of the page after it; null on the last. */
    async list(filter: {
      user: Address | null
      status: Status | null
      transactionHash: Hash | null
      before: string | null
      limit: number
    }): Promise<{ actions: ActionView[]; next: string | null }> {
      const { actions, hasMore } = await store.listActions(filter)
      return { actions, next: hasMore ? actions.at(-1)!.actionId : null }
    },

    async step(ref: StepRef): Promise<StepView> {
      const view = await store.readStep(ref)
      if (!view) throw new ServiceError('not_found', 'Step not found')
      return view
    },
  }
}

function identifiers(actionId: string, intents: number) {
  return { actionId, intentIds: Array.from({ length: intents }, (_, index) => `${actionId}/${index}`) }
}

/** The reuse of a key or of a signed intent has a code of its own where nothing else is wrong. */
function refusal(issues: Issue[]): ServiceError {
  const [only, ...others] = issues
  if (others.length === 0 && (only?.code === 'idempotency_key_reused' || only?.code === 'duplicate_intent'))
    return new ServiceError(only.code, only.message, { issues })
  return new ServiceError('validation_failed', 'Action validation failed', { issues: issues.slice(0, maxIssues) })
}

function hashOf(value: unknown): Hash {
  return keccak256(stringToHex(writeAmounts(value)))
}

/** SHA-256 and not Keccak: whole requests are long, and Node has native code for it. */
function fingerprintOf(value: unknown): Hash {
  return `0x${hash('sha256', writeAmounts(value))}`
}
