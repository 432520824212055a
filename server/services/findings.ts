import type { Address } from 'viem'
import type { OpenExposure } from '../store/money/exposures.js'
import type { WaitingWork } from '../store/healthReads.js'
import {
  lanesInUse,
  missingSigners,
  pausedLanes,
  refusedOperators,
  signersLowOnGas,
  silentSigners,
  unopenedLanes,
} from './findings/lanes.js'
import { chainDown, faultyNodes } from './findings/nodes.js'
import type { ChainState, Finding, HealthStatus, UnconfiguredCredit } from './findings/chainState.js'
import { stuckTransactions, unsettledTransactions } from './findings/transactions.js'
import { creditUnconfigured, lowInventory, lowOutflowCaps, openExposures, pausedVault } from './findings/vaults.js'

/** Steps and airdrops that have waited for a transaction for longer, and deposits for a look, are a finding. */
const waitingMs = 60_000

/** Everything that is not as it should be, worst first; last are findings that may only be consequences of others. */
export function findingsOf(state: {
  database: HealthStatus
  chains: ChainState[]
  waiting: readonly WaitingWork[]
  exposures: OpenExposure[]
  unconfiguredCredit: readonly UnconfiguredCredit[]
  /** The signers whose keys are configured. */
  operators: readonly Address[]
  nowMs: number
}): Finding[] {
  const findings: Finding[] = []
  if (state.database === 'down') {
    findings.push({
      code: 'database_down',
      chainId: null,
      message: 'The database does not answer.',
      remedy: 'See to the database. Requests are refused with 503 meanwhile; nothing is lost.',
    })
  }
  if (state.database === 'degraded') {
    findings.push({
      code: 'database_readonly',
      chainId: null,
      message: 'The database answers, but takes no writes.',
      remedy:
        'See whether its disk is full or fails, or whether it was made read-only. Requests are refused with 503 meanwhile; nothing is lost.',
    })
  }
  const perChain: ((chain: ChainState) => Finding[])[] = [
    chainDown,
    (chain) => openExposures(chain, state.exposures),
    pausedLanes,
    unopenedLanes,
    (chain) => missingSigners(chain, state.operators),
    silentSigners,
    (chain) => refusedOperators(chain, state.operators),
    pausedVault,
    (chain) => signersLowOnGas(chain, state.operators),
    lowInventory,
    lowOutflowCaps,
    (chain) => stuckTransactions(chain, state.operators),
    unsettledTransactions,
    faultyNodes,
  ]
  const chains = state.chains.map((chain) => ({ ...chain, lanes: lanesInUse(chain, state.operators) }))
  for (const find of perChain) findings.push(...chains.flatMap(find))
  findings.push(...state.unconfiguredCredit.map(creditUnconfigured))
  findings.push(...state.waiting.flatMap((waiting) => waitingWork(waiting, state.nowMs)))
  return findings
}

function waitingWork({ chainId, steps, airdrops, deposits, oldestAt }: WaitingWork, nowMs: number): Finding[] {
  if (nowMs - oldestAt <= waitingMs) return []
  const counts = Object.entries({ step: steps, airdrop: airdrops, 'reported deposit': deposits })
  const named = counts.flatMap(([what, count]) => (count === 0 ? [] : `${count} ${what}${count === 1 ? '' : 's'}`))
  const work = new Intl.ListFormat('en').format(named)
  return [
    {
      code: 'steps_waiting',
      chainId,
      message: `Waiting on chain ${chainId}: ${work}, the oldest for ${seconds(nowMs - oldestAt)} s.`,
      remedy:
        'Look at the other findings first. With none, see that a process with ROLE=engine or ROLE=all runs, and look into its log for the step. If that says that no node has the log of a payment, name a node in rpcUrls that keeps all logs. If steps are carried out all the same, there are more of them than the process can do: limit clients (RATE_LIMIT_PER_MINUTE), or run more processes on a shared database, with the API in processes of its own (ROLE=api).',
    },
  ]
}

function seconds(ms: number): number {
  return Math.round(ms / 1000)
}
