import type { TokenTransfer } from '../domain/action.js'
import type { ChainConfig } from '../domain/chainConfig.js'
import type { DepositView } from '../domain/deposit.js'
import type { Settings } from '../domain/settings.js'
import { describeSignerFault } from '../domain/signerFault.js'
import { feeBpsOf } from '../domain/solverNeeds.js'
import type { VenueTxHash } from '../domain/venueTxHash.js'
import type { ActionView, IntentView, StepView } from '../domain/views.js'
import type { TokenBalanceView } from '../services/deposits.js'
import type { HealthReport } from '../services/health.js'
import { checksumAddress } from './checksumAddress.js'
import type * as wire from './generated/types.gen.js'

/** The modes that can be executed; a presigned intent is only accepted. */
const executableModes: wire.Mode[] = ['7702', 'non-7702:on-demand']

export function presentAction(action: ActionView): wire.Action {
  return {
    actionId: action.actionId,
    user: checksumAddress(action.user),
    status: action.status,
    intents: action.intents.map(presentIntent),
    createdAt: presentTime(action.createdAt),
    updatedAt: presentTime(action.updatedAt),
  }
}

export function presentIntent(intent: IntentView): wire.Intent {
  return {
    intentId: `${intent.actionId}/${intent.intentIndex}`,
    actionId: intent.actionId,
    intentIndex: intent.intentIndex,
    mode: intent.mode,
    status: intent.status,
    chainBatches: intent.chainBatches.map(({ chainId, tokenTransfers }) => ({
      chainId,
      tokenTransfers: tokenTransfers.map(presentTransfer),
    })),
    steps: intent.steps.map(presentStep),
    createdAt: presentTime(intent.createdAt),
    updatedAt: presentTime(intent.updatedAt),
  }
}

function presentTransfer({ from, to, token, amount }: TokenTransfer): wire.TokenTransfer {
  return {
    from: from === 'solver' ? from : checksumAddress(from),
    to: checksumAddress(to),
    token: checksumAddress(token),
    amount: amount.toString(),
  }
}

export function presentStep(step: StepView): wire.Step {
  return {
    actionId: step.actionId,
    intentIndex: step.intentIndex,
    stepIndex: step.stepIndex,
    mode: step.mode,
    chainId: step.chainId,
    status: step.status,
    // The same hash by two names: some clients read the one, some the other.
    txid: step.transactionHash,
    transactionHash: step.transactionHash,
    blockNumber: step.blockNumber,
    confirmations: step.confirmations,
    requiredConfirmations: step.requiredConfirmations,
    attempts: step.attempts,
    error: step.error && { code: step.error.code, message: step.error.message, retryable: step.error.retryable },
    createdAt: presentTime(step.createdAt),
    updatedAt: presentTime(step.updatedAt),
  }
}

export function presentVenueTxHash(record: VenueTxHash): wire.VenueTxHash {
  return {
    address: checksumAddress(record.address),
    txHash: record.txHash,
    actionType: record.actionType,
    venue: record.venue,
    chainId: record.chainId,
  }
}

/** Fields are copied one by one, never all there are: a chain's configuration holds URLs with credentials. */
export function presentChain(chain: ChainConfig, { groups, onDemandProof }: Settings): wire.Chain {
  return {
    chainId: chain.chainId,
    name: chain.name,
    testnet: chain.testnet,
    nativeCurrency: chain.nativeCurrency,
    rpcUrl: chain.publicRpcUrl,
    explorerUrl: chain.explorerUrl,
    delegate: checksumAddress(chain.delegates[0]!),
    delegates: chain.delegates.map(checksumAddress),
    solver: checksumAddress(chain.vault),
    confirmations: chain.confirmations,
    modes: executableModes,
    onDemandProof,
    tokens: chain.tokens.map((token) => ({
      id: token.id,
      symbol: token.symbol,
      name: token.name,
      address: checksumAddress(token.address),
      decimals: token.decimals,
      group: token.group,
      feeBps: feeBpsOf(token, groups),
      airdrop: token.airdrop && {
        amount: token.airdrop.amount.toString(),
        periodSeconds: token.airdrop.periodSeconds,
      },
    })),
  }
}

export function presentHealth(report: HealthReport): wire.HealthReport {
  return {
    status: report.status,
    version: report.version,
    database: report.database,
    draining: report.draining,
    findings: report.findings,
    chains: report.chains.map((chain) => ({
      chainId: chain.chainId,
      status: chain.status,
      blockNumber: chain.blockNumber,
      solverBalance:
        chain.solverBalance &&
        Object.fromEntries(Object.entries(chain.solverBalance).map(([id, amount]) => [id, amount.toString()])),
      lanes: chain.lanes.map((lane) => ({
        signer: checksumAddress(lane.signer),
        status: lane.status,
        reason: lane.reason ?? (lane.signerFault && describeSignerFault(lane.signerFault)),
        nextNonce: lane.nextNonce,
        balance: lane.balance === null ? null : lane.balance.toString(),
      })),
    })),
  }
}

function presentTime(unixMs: number): string {
  return new Date(unixMs).toISOString()
}

export function presentDeposit(deposit: DepositView): wire.DepositRecord {
  return {
    user: checksumAddress(deposit.user),
    txHash: deposit.transactionHash,
    sender: checksumAddress(deposit.sender),
    tokenAddress: checksumAddress(deposit.token),
    chainId: deposit.chainId,
    amount: deposit.amount.toString(),
    isDeposit: deposit.isDeposit,
    custody: deposit.custody,
    status: deposit.status === 'recorded' ? 'recorded' : 'confirming',
    confirmations: deposit.confirmations,
    requiredConfirmations: deposit.requiredConfirmations,
    recordedAt: deposit.recordedAt === null ? null : presentTime(deposit.recordedAt),
  }
}

export function presentBalance(balance: TokenBalanceView): wire.TokenBalance {
  return {
    chainId: balance.chainId,
    tokenAddress: checksumAddress(balance.token),
    symbol: balance.symbol,
    decimals: balance.decimals,
    amount: balance.amount.toString(),
    available: balance.available.toString(),
    reserved: balance.reserved.toString(),
  }
}
