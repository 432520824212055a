import type { Address, Hex } from 'viem'
import { keccak256 } from '../../../sdk/src/keccak256.js'
import type { Chain } from '../../chain/chain.js'
import { elapsedMs } from '../../domain/elapsed.js'
import { SignerUnavailable } from '../../domain/errors.js'
import type { CarriedStep, JournalTransaction, SignedForm } from '../../store/journal/journalTransactions.js'
import { stepsFields } from '../logFields.js'
import type { EngineTools } from '../tools.js'

/** How long a signature is waited for: far less than the lease of a step, so that no other visit takes the step up. */
const signMs = 5_000
const signerRestMs = 2_000

/** A signer that has failed is not asked for a while, so that many steps don't wait for the same silence each. */
export function isResting(signer: Address, tools: Pick<EngineTools, 'signerFaults' | 'now'>): boolean {
  const fault = tools.signerFaults.get(signer)
  return fault !== undefined && elapsedMs(fault.at, tools.now()) < signerRestMs
}

type Payload = Pick<JournalTransaction, 'signer' | 'nonce' | 'to' | 'data' | 'authorizations' | 'gasLimit'>

/** Throws `SignerUnavailable` when the signer fails or takes too long; a signature that comes later is forgotten. */
export async function signForm(
  form: Payload & {
    chain: Chain
    /** In wei per gas. */
    fees: Pick<SignedForm, 'maxFeePerGas' | 'maxPriorityFeePerGas'>
    steps: readonly CarriedStep[]
    isCancel: boolean
  },
  tools: Pick<EngineTools, 'signers' | 'signerFaults' | 'now' | 'log'>,
): Promise<SignedForm> {
  const signer = tools.signers.get(form.signer)
  if (!signer) throw new SignerUnavailable(form.signer, 'its key is not configured any more')
  const { chainId } = form.chain.config
  const unsigned = {
    chainId,
    nonce: form.nonce,
    to: form.to,
    data: form.data,
    value: 0n,
    gas: form.gasLimit,
    ...form.fees,
    authorizations: form.authorizations,
  }
  let raw: Hex
  try {
    raw = await within(signMs, signer.signTransaction(unsigned))
    tools.signerFaults.delete(form.signer)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no answer'
    tools.signerFaults.set(form.signer, { at: tools.now(), reason })
    const asked = { chainId, signer: form.signer, nonce: form.nonce, ...stepsFields(form.steps) }
    tools.log.warn({ ...asked, reason }, 'the signer gave no signature')
    throw new SignerUnavailable(form.signer, reason)
  }
  return { hash: keccak256(raw), raw, ...form.fees, isCancel: form.isCancel }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no signature within ${ms} ms`)), ms)
  })
  return Promise.race([work, tooLong]).finally(() => clearTimeout(timer))
}
