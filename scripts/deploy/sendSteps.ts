import type { PublicClient } from 'viem'
import type { Signer } from '../../server/chain/signer.js'
import { type ChainPlan, DeployRefused } from './planChain.js'

/** Sends the deployer's part of a plan, one transaction after the other, each mined before the next. */
export async function sendSteps(
  plan: ChainPlan,
  reader: PublicClient,
  signer: Signer,
  say: (line: string) => void,
): Promise<void> {
  const { chainId } = plan.chain
  for (const step of plan.steps.filter(({ by }) => by === 'deployer')) {
    const hash = await reader.sendRawTransaction({ serializedTransaction: step.raw ?? (await sign(step)) })
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new DeployRefused(`Chain ${chainId}: ${step.what}: ${hash} was reverted`)
    say(`  done: ${step.what} (${hash}, ${receipt.gasUsed} gas)`)
  }

  async function sign({ to, data, value, gas }: ChainPlan['steps'][number]) {
    const [nonce, fees, estimate] = await Promise.all([
      reader.getTransactionCount({ address: signer.address, blockTag: 'pending' }),
      feesOf(plan, reader),
      // Of what was planned before its contract was there; and some chains ask more gas than others.
      reader.estimateGas({ account: signer.address, to, data, value }).catch(() => gas),
    ])
    return signer.signTransaction({
      chainId,
      nonce,
      to,
      data,
      value,
      gas: ((estimate > gas ? estimate : gas) * 12n) / 10n,
      ...fees,
      authorizations: [],
    })
  }
}

/** Twice the base fee, so that a few full blocks don't matter; never above the chain's own cap. */
export async function feesOf({ chain }: Pick<ChainPlan, 'chain'>, reader: PublicClient) {
  const { baseFeePerGas } = await reader.getBlock()
  const tip = chain.priorityFeePerGas
  const wanted = (baseFeePerGas ?? 0n) * 2n + tip
  const maxFeePerGas = wanted > chain.maxFeePerGasCap ? chain.maxFeePerGasCap : wanted
  return { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas }
}
