import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { type Address, type Hash, type Hex, toHex } from 'viem'
import type { Action, ChainBatch, Intent, StepRef, TokenTransfer } from '../../server/domain/action.js'
import { uuidV7 } from '../../server/domain/uuid.js'
import type { NewTransaction } from '../../server/store/journal/transactionRecorder.js'
import type { NewAction } from '../../server/store/actions/newActions.js'

/** Domain objects for tests of the store: well-formed, but not signed by anyone. */

export const randomAddress = (): Address => toHex(randomBytes(20))
export const randomHash = (): Hash => toHex(randomBytes(32))

export const usdOn1: Address = `0x${'a1'.repeat(20)}`
export const usdOn2: Address = `0x${'a2'.repeat(20)}`

export function aTransfer(fields: Partial<TokenTransfer> = {}): TokenTransfer {
  return { from: 'solver', to: randomAddress(), token: usdOn2, amount: 100n, ...fields }
}

export function aBatch(fields: Partial<ChainBatch> = {}): ChainBatch {
  return {
    chainId: 1,
    tokenTransfers: [],
    calls: [{ to: randomAddress(), value: 0n, data: '0x' }],
    hash: null,
    ...fields,
  }
}

/** An on-demand intent: the user pays on the first chain, the solver pays on the second. */
export function anOnDemandIntent(
  user: Address,
  amount = 100n,
  [from, to] = [
    { chainId: 1, token: usdOn1 },
    { chainId: 2, token: usdOn2 },
  ],
): Intent {
  const paid = aTransfer({ from: user, to: randomAddress(), token: from!.token, amount })
  const due = aTransfer({ to: user, token: to!.token, amount })
  return {
    mode: 'non-7702:on-demand',
    chainBatches: [
      aBatch({ chainId: from!.chainId, tokenTransfers: [paid] }),
      aBatch({ chainId: to!.chainId, tokenTransfers: [due] }),
    ],
  }
}

export function aSignedIntent(batches: ChainBatch[] = [aBatch({ hash: randomHash() })]): Intent {
  return {
    mode: '7702',
    signatureType: 'ecdsa',
    signature: toHex(randomBytes(65)),
    nbf: 0,
    exp: 2_000_000_000,
    digest: randomHash(),
    chainBatches: batches,
  }
}

export function aNewAction(
  fields: { user?: Address; intents?: Intent[]; now?: number } & Partial<NewAction> = {},
): NewAction {
  const user = fields.user ?? randomAddress()
  const now = fields.now ?? Date.now()
  const action: Action = {
    actionId: uuidV7(now, randomInt(0x1000), randomUUID()),
    user,
    chainAuthorizations: [],
    intents: fields.intents ?? [anOnDemandIntent(user)],
  }
  return {
    action,
    bodyHash: randomHash(),
    signedKeys: action.intents.map((intent) => (intent.mode === '7702' ? randomHash() : null)),
    signatureHashes: action.intents.map((intent) => (intent.mode === '7702' ? randomHash() : null)),
    idempotencyKeyHash: null,
    requiredConfirmations: () => 1,
    now,
    ...fields,
  }
}

export function stepOf(entry: NewAction, intentIndex: number, stepIndex: number): StepRef {
  return { actionId: entry.action.actionId, intentIndex, stepIndex }
}

/** A transaction that a lane is to record, with whatever signature. */
export function aNewTransaction(
  fields: Pick<NewTransaction, 'chainId' | 'signer'> & Partial<NewTransaction>,
): NewTransaction {
  return {
    to: randomAddress(),
    data: '0x1234',
    authorizations: [],
    gasLimit: 100_000n,
    steps: [],
    airdrop: null,
    sign: async () => aSignedForm(),
    ...fields,
  }
}

export function aSignedForm(raw: Hex = '0x00') {
  return { hash: randomHash(), raw, maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, isCancel: false }
}
