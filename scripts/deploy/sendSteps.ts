import { BaseError, ExecutionRevertedError, type Hash, type Hex, type PublicClient } from 'viem'
import { type Fees, replacementFees } from '../../server/chain/fees.js'
import { keccak256 } from '../../sdk/src/keccak256.js'
import { classifySend } from '../../server/chain/sendOutcome.js'
import type { Signer } from '../../server/chain/keys/signer.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { noncesOf } from './awaitPending.js'
import { DeployRefused } from './deployRefused.js'
import type { ChainPlan, PlannedStep } from './planChain.js'
import { whyKept } from './whyKept.js'

/**
 * Sends the deployer's part of a plan, one transaction after the other, each mined before the next, from the
 * nonce on that it was planned at. What is pending there already is replaced, if it may be: behind it, and with
 * the same to do, a second deployment would fail. False: something else of the deployer was mined since, so that
 * the rest is to be planned anew.
 */
export async function sendSteps(
  plan: ChainPlan,
  reader: PublicClient,
  signer: Signer,
  { replacePending, say }: { replacePending: boolean; say: (line: string) => void },
): Promise<boolean> {
  const { chain, steps } = plan
  const { chainId } = chain
  let next = plan.nonce
  for (const step of steps.filter(({ by }) => by === 'deployer')) {
    // Some of the machines behind one address may not know yet what was mined a moment ago, so that it may be less.
    const { latest, pending } = await noncesOf(reader, signer.address)
    if (latest > next) return false
    const hash = step.raw ? await sendRaw(step.what, step.raw) : await sendSigned(step, next++, pending)
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.transactionHash !== hash) {
      const other = `${receipt.transactionHash}, which was pending, was mined in its place`
      throw new DeployRefused(`Chain ${chainId}: ${step.what}: ${other}. Run this again.`)
    }
    if (receipt.status !== 'success') throw new DeployRefused(`Chain ${chainId}: ${step.what}: ${hash} was reverted`)
    say(`  done: ${step.what} (${hash}, ${receipt.gasUsed} gas)`)
  }
  return true

  async function sendSigned(
    { what, to, data, value, gas }: PlannedStep,
    nonce: number,
    pending: number,
  ): Promise<Hash> {
    const estimate = await reader
      .estimateGas({ account: signer.address, to, data, value, blockTag: 'latest' })
      .catch((error: unknown) => {
        if (!isRevert(error)) return gas
        throw new DeployRefused(
          `Chain ${chainId}: ${what}: would be reverted, as what is there already. Run this again.`,
        )
      })
    let isReplacement = pending > nonce
    if (isReplacement) await requireReplaceable(nonce)
    const attempts: Fees[] = []
    for (;;) {
      const fees = await feesOf(chain, reader, attempts)
      if ('refusal' in fees) throw new DeployRefused(fees.refusal)
      const serializedTransaction = await signer.signTransaction({
        ...{ chainId, nonce, to, data, value },
        // Of what was planned before its contract was there; and some chains ask more gas than others.
        gas: ((estimate > gas ? estimate : gas) * 12n) / 10n,
        ...fees,
        authorizations: [],
      })
      const hash = await send(what, serializedTransaction, isReplacement)
      if (hash !== null) return hash
      // Of what another node's pool holds, the one that was asked may know nothing.
      if (!isReplacement) await requireReplaceable(nonce)
      isReplacement = true
      attempts.push(fees)
    }
  }

  async function requireReplaceable(nonce: number): Promise<void> {
    const reason = replacePending ? null : await whyKept(plan, reader, signer.address, [nonce])
    if (reason !== null) throw new DeployRefused(reason)
    say(`  replaces what is pending of ${signer.address} at nonce ${nonce}`)
  }

  /** Its key has signed nothing else, so that nothing else can have its place. */
  async function sendRaw(what: string, raw: Hex): Promise<Hash> {
    return (await send(what, raw, false)) ?? keccak256(raw)
  }

  /** Null: another one has its nonce, and is to be outbid. */
  async function send(what: string, serializedTransaction: Hex, isReplacement: boolean): Promise<Hash | null> {
    try {
      return await reader.request(
        { method: 'eth_sendRawTransaction', params: [serializedTransaction] },
        // A refusal is an answer: asking again with the same fee would only take its time.
        isReplacement ? { retryCount: 0 } : {},
      )
    } catch (error) {
      const kind = error instanceof BaseError ? classifySend(error.details) : 'ambiguous'
      // As where an answer was lost, and the same was sent once more.
      if (kind === 'known') return keccak256(serializedTransaction)
      if (kind === 'slotTaken') return null
      if (kind !== 'consumed') throw error
      throw new DeployRefused(`Chain ${chainId}: ${what}: its nonce was used meanwhile. Run this again.`)
    }
  }
}

function isRevert(error: unknown): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null
}

/**
 * Twice the base fee, so that a few full blocks don't matter; an eighth above what nodes have refused as a replacement;
 * never above the chain's own cap, or else why nothing can be signed.
 */
export async function feesOf(
  chain: ChainConfig,
  reader: PublicClient,
  attempts: readonly Fees[] = [],
): Promise<Fees | { refusal: string }> {
  const baseFeePerGas = (await reader.getBlock()).baseFeePerGas ?? 0n
  const { chainId, maxFeePerGasCap: cap } = chain
  const refuse = (what: string) => ({
    refusal: `Chain ${chainId}: maxFeePerGasCap: is ${cap} wei, and ${what}. Raise it in the chains file, or wait.`,
  })
  if (baseFeePerGas > cap) return refuse(`the base fee ${baseFeePerGas}, so that no block would take anything`)
  const fees = replacementFees(attempts, baseFeePerGas, chain, { isCancel: true })
  return fees ?? refuse('what is pending of the deployer is replaced only by more')
}
