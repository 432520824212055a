import { type Address, getAddress } from 'viem'
import { stepFeeCap } from '../../domain/feeCap.js'
import { transactionGas } from '../../domain/gasMark.js'
import type { ChainState, Finding } from './chainState.js'

export function stuckTransactions(chain: ChainState, operators: readonly Address[]): Finding[] {
  const { config, stuck } = chain
  if (!stuck || stuck.count === 0) return []
  return [
    {
      code: 'transactions_stuck',
      chainId: config.chainId,
      message: `${stuck.count} of ${stuck.open} open transactions are not mined, from nonce ${stuck.lowestNonce} on.`,
      remedy: remedyOfStuck(chain, stuck, operators),
    },
  ]
}

/** What to do about transactions that are not mined, by what is known to hold them up. */
function remedyOfStuck(
  chain: ChainState,
  { signers, unfunded }: NonNullable<ChainState['stuck']>,
  operators: readonly Address[],
): string {
  const { config, head, lanes } = chain
  const missing = signers.filter((signer) => !operators.includes(signer))
  if (missing.length > 0) {
    return `Put the key of ${listed(missing)} back: without it its transactions can't be replaced.`
  }
  const price = (head?.baseFeePerGas ?? 0n) + config.priorityFeePerGas
  const poor = lanes.filter(
    ({ signer, balance }) =>
      unfunded.includes(signer) || (signers.includes(signer) && balance !== null && balance < transactionGas * price),
  )
  if (poor.length > 0) {
    const names = listed(poor.map(({ signer }) => signer))
    return `Send native currency of chain ${config.chainId} to ${names}: it can't pay for its transactions.`
  }
  if (head !== null && head.baseFeePerGas > stepFeeCap(config)) {
    return `Raise maxFeePerGasCap (${config.maxFeePerGasCap}) to at least an eighth above the chain's base fee, which is ${head.baseFeePerGas}, or wait for it to fall.`
  }
  return `See that the chain makes blocks, that these take a tip of priorityFeePerGas (${config.priorityFeePerGas}; fees are raised by eighths from there) and that maxFeePerGasCap is at least an eighth above its base fee; replacements stop at the cap.`
}

function listed(signers: readonly Address[]): string {
  return signers.map((signer) => getAddress(signer)).join(', ')
}

export function unsettledTransactions({ config, unsettled }: ChainState): Finding[] {
  if (!unsettled || unsettled.count === 0) return []
  return [
    {
      code: 'transactions_unsettled',
      chainId: config.chainId,
      message: `${unsettled.count} transactions are final and what came of them can't be told, from block ${unsettled.lowestBlock} on.`,
      remedy:
        'Look into the log of a process with ROLE=engine or ROLE=all. If no node has the log of a payment or a receipt, name one in rpcUrls that keeps all of them; if nodes disagree, see to them. The rest goes by itself then.',
    },
  ]
}
