import { type Address, getAddress } from 'viem'
import { fewTransactions, gasMark } from '../../domain/gasMark.js'
import { describeSignerFault } from '../../domain/signerFault.js'
import type { ChainState, Finding, LaneHealth } from './chainState.js'

/**
 * Without the lanes of keys that were replaced by others: these are paused, and the key is neither
 * configured nor an operator's. A lane that its chain is ahead of is not left out, whosever key it was: it
 * holds back the payouts of all lanes.
 */
export function lanesInUse({ head, lanes, refused }: ChainState, operators: readonly Address[]): LaneHealth[] {
  // While the chain does not answer, the key counts as no operator's.
  const isRefused = (signer: string) => head === null || refused.some((other) => other === signer)
  const isOutOfUse = ({ status, isAhead, signer }: LaneHealth) =>
    status === 'paused' && !isAhead && isRefused(signer) && !operators.includes(signer)
  return lanes.filter((lane) => !isOutOfUse(lane))
}

export function pausedLanes({ config, lanes }: ChainState): Finding[] {
  return lanes
    .filter((lane) => lane.status === 'paused')
    .map(({ signer, isAhead, isRetired, reason }) => ({
      code: 'lane_paused',
      chainId: config.chainId,
      message: `The lane of ${getAddress(signer)} is paused${isRetired ? ' for good' : ''}: ${reason ?? 'no reason given'}`,
      remedy: isRetired
        ? 'Remove its key from the keys and, as the vault’s owner, from the operators: a retired lane is never resumed.'
        : `Find the reason, then: npm run operate -- lane resume ${config.chainId} ${getAddress(signer)}${isAhead ? aheadNote : ''}`,
    }))
}

/**
 * A chain may be ahead of a lane by what was done with its key outside the service: see OPERATING.md on changing a key.
 */
const aheadNote =
  '. It goes on at the chain’s nonce then, or is paused as it was before. A key that is used no more may have been emptied by its owner; if others have it, its lane can be retired.'

export function unopenedLanes({ config, unopened }: ChainState): Finding[] {
  const { chainId, agreement } = config
  return [...unopened].map(([signer, { why, nodes }]) => ({
    code: 'lane_unopened',
    chainId,
    message: `${getAddress(signer)} has no lane on chain ${chainId} yet: ${why} (agreement ${agreement}; ${nodes}).`,
    remedy:
      'See to the nodes that lag or do not answer, and take one that stays apart out of rpcUrls; it is tried again every few seconds. Other keys take over meanwhile; with none, steps wait.',
  }))
}

export function missingSigners({ config, open }: ChainState, operators: readonly Address[]): Finding[] {
  return [...open]
    .filter(([signer]) => !operators.includes(signer))
    .map(([signer, count]) => ({
      code: 'signer_missing',
      chainId: config.chainId,
      message: `${getAddress(signer)} has ${count} open transactions on chain ${config.chainId}, and its key is not configured.`,
      remedy: `Put the key back until its transactions are final: without it none of them can be replaced, and steps that they carry may wait for good. npm run operate -- status shows when. If the key is lost, see "A key is lost" in server/OPERATING.md.`,
    }))
}

export function silentSigners({ config, lanes }: ChainState): Finding[] {
  return lanes.flatMap(({ signer, signerFault }) => {
    if (signerFault === null) return []
    return {
      code: 'signer_silent',
      chainId: config.chainId,
      message: `${getAddress(signer)}: ${describeSignerFault(signerFault)}`,
      remedy: 'See to the process that holds the key. Other signers take over meanwhile; with none, steps wait.',
    }
  })
}

export function refusedOperators({ config, lanes, refused }: ChainState, operators: readonly Address[]): Finding[] {
  const { chainId } = config
  const remedyFor = (signer: Address) => {
    const shown = getAddress(signer)
    const pause = `npm run operate -- lane pause ${chainId} ${shown}`
    // The right may have been taken because others have the key: the remedy must not be to give it back.
    if (!operators.includes(signer))
      return `Its key is not configured here; see to it where it is. If it is nowhere, pause its lane: ${pause} changed; or retire it, if others may have the key: npm run operate -- lane retire ${chainId} ${shown}.`
    return `npm run deploy with --operators ${shown} sends setOperator, or prints it for the vault's owner. If its right was taken on purpose: ${pause}. Other operators take over meanwhile; with none, steps wait.`
  }
  return lanes
    .filter(({ status, signer }) => status === 'active' && refused.includes(signer))
    .map(({ signer }) => ({
      code: 'operator_refused',
      chainId,
      message: `The vault ${getAddress(config.vault)} does not know ${getAddress(signer)} as an operator, so it pays nothing.`,
      remedy: remedyFor(signer),
    }))
}

export function signersLowOnGas({ config, head, lanes }: ChainState, operators: readonly Address[]): Finding[] {
  if (head === null) return []
  const { baseFeePerGas } = head
  const needed = gasMark({ baseFeePerGas, priorityFeePerGas: config.priorityFeePerGas })
  return lanes
    .filter(({ signer, isAhead }) => !isAhead || operators.includes(signer))
    .filter((lane) => lane.balance !== null && lane.balance < needed)
    .map(({ signer, balance }) => ({
      code: 'signer_low_on_gas',
      chainId: config.chainId,
      message: `${getAddress(signer)} holds ${balance} wei; ${fewTransactions} transactions of one step take up to ${needed}.`,
      remedy: `Send it native currency of chain ${config.chainId}.`,
    }))
}
