import { type Address, encodeAbiParameters, type Hash, type Hex, stringToHex } from 'viem'
import { keccak256 } from '../../sdk/src/keccak256.js'
import { chainBatchId } from '../../sdk/src/signing.js'
import type { Chain } from '../chain/chain.js'
import type { SignedIntent } from '../domain/action.js'
import { solverTransfers } from '../domain/solverNeeds.js'
import { runsCalls } from '../domain/stepKind.js'
import type { StepView } from '../domain/views.js'
import type { StepWork } from '../store/actions/steps.js'
import type { EngineTools } from './tools.js'

type Payload = {
  to: Address
  data: Hex
  /** Null when the vault has no part in it. */
  stepKey: Hash | null
}

/** What a step's transaction would call, and in whose name that is tried out. */
export type Plan = Payload & { chain: Chain; from: Address }

/**
 * What the service's transaction calls: the user's account alone, or the vault when the solver pays something.
 * `payment`: the user's own step that a payout rests on; null where there is none.
 */
export function payloadOf(
  work: StepWork,
  payment: StepView | null,
  chain: Chain,
  tools: Pick<EngineTools, 'codec'>,
): Payload {
  const signed = runsCalls(work) ? work.intent : null
  if (signed && !isByVault(work)) {
    return { to: work.user, data: tools.codec.encodeExecute(signed, work.ref.stepIndex), stepKey: null }
  }
  const stepKey = work.stepKey ?? stepKeyOf(work, payment)
  return {
    to: chain.config.vault,
    data: tools.codec.encodeFulfill({
      stepKey,
      transfers: solverTransfers(work.batch),
      account: signed && work.user,
      intent: signed,
      stepIndex: work.ref.stepIndex,
    }),
    stepKey,
  }
}

/**
 * Whether the vault calls for the step, since the solver pays something in it; else the user's account is called alone.
 */
export function isByVault(work: Pick<StepWork, 'intent' | 'batch'>): boolean {
  return !runsCalls(work) || solverTransfers(work.batch).length > 0
}

/** The id by which the delegate remembers the batch. */
export function batchIdOf(intent: SignedIntent, stepIndex: number): Hash {
  return chainBatchId(intent.digest, stepIndex)
}

/**
 * The key by which the vault remembers the payout. It binds what entitles to the payout rather than our identifiers, so
 * that a service whose database was lost does not pay again for the same step of a signed intent, nor for the same
 * place of an intent that rests on the same payment.
 */
function stepKeyOf(work: StepWork, payment: StepView | null): Hash {
  if (work.intent.mode === '7702') {
    return keyOf('7702', work.user, work.intent.digest, work.ref.stepIndex)
  }
  return payment?.transactionHash
    ? keyOf('on-demand', work.user, payment.transactionHash, payment.chainId, work.ref.stepIndex)
    : keyOf('on-demand', work.user, keccak256(stringToHex(work.ref.actionId)), work.ref.intentIndex, work.ref.stepIndex)
}

function keyOf(kind: string, user: Address, anchor: Hash, ...numbers: number[]): Hash {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'string' }, { type: 'address' }, { type: 'bytes32' }, { type: 'uint256[]' }],
      [kind, user, anchor, numbers.map(BigInt)],
    ),
  )
}
