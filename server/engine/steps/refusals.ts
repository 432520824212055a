import type { Chain } from '../../chain/chain.js'
import type { StepError } from '../../domain/errors.js'
import { forbiddenRecipient } from '../../domain/recipients.js'
import type { StepWork } from '../../store/actions/steps.js'
import { headOf } from '../heads.js'
import type { EngineTools } from '../tools.js'

/** By how much a chain's clock may be behind ours. */
const chainBehindMs = 10_000

/** Why a step may not be carried out, whatever the chain says. Null: it may. */
export function refusalOf(work: StepWork, nowMs: number): StepError | null {
  return windowError(work, nowMs) ?? recipientError(work)
}

function windowError(work: StepWork, nowMs: number): StepError | null {
  if (work.intent.mode !== '7702') return null
  const now = Math.floor(nowMs / 1000)
  const { nbf, exp } = work.intent
  if (now > exp) {
    return {
      code: 'intent_expired',
      message: `The intent expired at ${exp} (unix seconds); it is ${now}.`,
      retryable: false,
    }
  }
  if (now < nbf) {
    return {
      code: 'intent_not_yet_valid',
      message: `The intent is valid from ${nbf} (unix seconds); it is ${now}.`,
      retryable: true,
    }
  }
  return null
}

function recipientError({ user, intent, batch }: StepWork): StepError | null {
  const message = forbiddenRecipient(user, intent, batch)
  return message === null ? null : { code: 'recipient_not_allowed', message, retryable: false }
}

/**
 * Whether a block may yet come, or be seen, in which the intent has not expired: by its chain's clock it has time left.
 * The clock of a chain that stands still does not run out, so not for long by ours.
 */
export async function mayStillRun(
  { intent }: StepWork,
  chain: Chain,
  tools: Pick<EngineTools, 'now' | 'heads'>,
): Promise<boolean> {
  if (intent.mode !== '7702' || tools.now() > intent.exp * 1000 + chainBehindMs) return false
  return (await headOf(chain, tools)).timestamp <= BigInt(intent.exp)
}

export const sameEntitlement = {
  code: 'already_fulfilled',
  message: 'Another step pays out on the same payment, or may yet; what is not paid out stays the user’s credit.',
  retryable: false,
} as const

export function tooLong({ config }: Chain): StepError {
  const message = `Time and again the nodes of chain ${config.chainId} did not get to the end of the step’s simulation in time. Nothing was sent.`
  return { code: 'gas_limit_exceeded', message, retryable: true }
}

export function tooMuchGas(gas: bigint, isAuthorized: boolean, ofBlock: bigint): StepError {
  const needed = isAuthorized ? `${gas} gas and that of its authorization` : `${gas} gas`
  const message = `The step takes ${needed}; a block of its chain has ${ofBlock}. Nothing was sent.`
  return { code: 'gas_limit_exceeded', message, retryable: true }
}

/** Why a step with this gas limit is not signed, by what its chain allows one step. Null: it may be. */
export function moreThanAllowed(gasLimit: bigint, { config: { maxStepGas } }: Chain): StepError | null {
  if (maxStepGas === undefined || gasLimit <= maxStepGas) return null
  const message = `The step needs a gas limit of ${gasLimit}; on its chain no step is given more than ${maxStepGas}. Nothing was sent.`
  return { code: 'gas_limit_exceeded', message, retryable: true }
}
