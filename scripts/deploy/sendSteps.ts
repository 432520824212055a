import { BaseError, type Hash, type PublicClient } from 'viem'
import { type Fees, replacementFees } from '../../server/chain/fees.js'
import { classifySend } from '../../server/chain/sendOutcome.js'
import type { Signer } from '../../server/chain/signer.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { noncesOf } from './awaitPending.js'
import { type ChainPlan, DeployRefused, type PlannedStep } from './planChain.js'

/**
 * Sends the deployer's part of a plan, one transaction after the other, each mined before the next. What is pending of the
 * deployer already is replaced: behind it, and with the same to do, a second deployment would fail.
 */
export async function sendSteps(
  { chain, steps }: ChainPlan,
  reader: PublicClient,
  signer: Signer,
  say: (line: string) => void,
): Promise<void> {
  const { chainId } = chain
  /** Some of the machines behind one address may not know yet what was mined a moment ago. */
  let next = 0
  for (const step of steps.filter(({ by }) => by === 'deployer')) {
    const hash = step.raw
      ? await reader.sendRawTransaction({ serializedTransaction: step.raw })
      : await sendSigned(step)
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.transactionHash !== hash) {
      const other = `${receipt.transactionHash}, which was pending, was mined in its place`
      throw new DeployRefused(`Chain ${chainId}: ${step.what}: ${other}. Run this again.`)
    }
    if (receipt.status !== 'success') throw new DeployRefused(`Chain ${chainId}: ${step.what}: ${hash} was reverted`)
    say(`  done: ${step.what} (${hash}, ${receipt.gasUsed} gas)`)
  }

  async function sendSigned({ to, data, value, gas }: PlannedStep): Promise<Hash> {
    const [nonces, estimate] = await Promise.all([
      noncesOf(reader, signer.address),
      // Of what was planned before its contract was there; and some chains ask more gas than others.
      reader.estimateGas({ account: signer.address, to, data, value }).catch(() => gas),
    ])
    const nonce = Math.max(nonces.latest, next)
    next = nonce + 1
    const isReplacement = nonces.pending > nonce
    if (isReplacement) say(`  replaces what is pending of ${signer.address} at nonce ${nonce}`)
    const attempts: Fees[] = []
    for (;;) {
      const fees = await feesOf(chain, reader, attempts)
      if ('refusal' in fees) throw new DeployRefused(fees.refusal)
      const serializedTransaction = await signer.signTransaction({
        ...{ chainId, nonce, to, data, value },
        gas: ((estimate > gas ? estimate : gas) * 12n) / 10n,
        ...fees,
        authorizations: [],
      })
      try {
        // A refusal is an answer: asking again with the same fee would only take its time.
        return await reader.request(
          { method: 'eth_sendRawTransaction', params: [serializedTransaction] },
          isReplacement ? { retryCount: 0 } : {},
        )
      } catch (error) {
        if (!(error instanceof BaseError) || classifySend(error.details) !== 'slotTaken') throw error
        attempts.push(fees)
      }
    }
  }
}

/**
 * Twice the base fee, so that a few full blocks don't matter; an eighth above what nodes have refused as a replacement; never
 * above the chain's own cap, or else why nothing can be signed.
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
