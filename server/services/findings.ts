import { type Address, getAddress } from 'viem'
import type { Block } from '../chain/chain.js'
import type { ChainConfig, TokenConfig } from '../domain/chainConfig.js'
import type { VaultLimits } from '../chain/vaultLimits.js'
import { lags } from '../domain/lag.js'
import type { Exposure } from '../store/exposures.js'
import type { Waiting } from '../store/serviceState.js'

export type HealthStatus = 'ok' | 'degraded' | 'down'

export type ChainHealth = {
  chainId: number
  status: HealthStatus
  /** Null: the chain does not answer. */
  blockNumber: number | null
  /** What the vault holds, by the token's id, in its smallest unit. Null: the chain does not answer. */
  solverBalance: Record<string, bigint> | null
  lanes: LaneHealth[]
  /** How long ago it was seen like this. Null: it could not be seen. */
  ageMs: number | null
}

export type LaneHealth = {
  signer: Address
  status: 'active' | 'paused'
  reason: string | null
  nextNonce: number
  /** In wei. Null: the chain does not answer. */
  balance: bigint | null
}

/** What is known of a chain when a report is made. */
export type ChainState = {
  config: ChainConfig
  /** Null: no node answers. */
  head: Block | null
  /** Each node's newest block, in the order of `rpcUrls`; null where it gives none, with the reason if it is known. */
  nodes: { number: number | null; fault: string | null }[]
  /** What the vault holds. Null: no node answers. */
  inventory: (TokenConfig & { amount: bigint })[] | null
  /** What keeps the vault from paying, of tokens in the order of `config`. Null: no node answers. */
  limits: VaultLimits | null
  lanes: LaneHealth[]
  /** Signers that the vault does not know as operators. */
  refused: Address[]
  /** How many open transactions signers have. */
  open: ReadonlyMap<Address, number>
  /** Null: the database does not answer. */
  stuck: { open: number; stuck: number; lowestNonce: number | null; signers: Address[] } | null
  /** Null: the database or the chain does not answer. */
  unsettled: { unsettled: number; lowestBlock: number | null } | null
}

/** Users' credit in a token that is configured no more: how many of them have some, and all of it in its smallest unit. */
export type UnconfiguredCredit = { chainId: number; address: Address; users: number; amount: bigint }

export type FindingCode =
  | 'database_down'
  | 'database_readonly'
  | 'chain_down'
  | 'exposure_open'
  | 'lane_paused'
  | 'signer_missing'
  | 'signer_silent'
  | 'operator_refused'
  | 'vault_paused'
  | 'signer_low_on_gas'
  | 'vault_empty'
  | 'credit_unconfigured'
  | 'outflow_cap_low'
  | 'transactions_stuck'
  | 'transactions_unsettled'
  | 'steps_waiting'
  | 'node_down'
  | 'node_lagging'

/** Something that an operator should look at, and what to do about it. */
export type Finding = { code: FindingCode; chainId: number | null; message: string; remedy: string }

/** A signer is low when it can't pay for this many more transactions of this size at twice the present base fee. */
const fewTransactions = 50n
const transactionGas = 300_000n
/** A daily cap is low when less than this part of it is left. */
const lowOutflow = 10n
/** Steps that nobody has touched for this long wait for too long. */
const waitingMs = 60_000

/** Everything that is not as it should be, worst first, and last what may only follow from the others. */
export function findingsOf(state: {
  database: HealthStatus
  chains: ChainState[]
  waiting: Waiting
  exposures: Exposure[]
  unconfiguredCredit: readonly UnconfiguredCredit[]
  /** Whose keys are configured. */
  operators: readonly string[]
  nowMs: number
}): Finding[] {
  const { waiting, nowMs } = state
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
    downOf,
    (chain) => exposuresOf(chain, state.exposures),
    pausedOf,
    (chain) => missingOf(chain, state.operators),
    silentOf,
    refusedOf,
    vaultPausedOf,
    lowOnGasOf,
    emptyOf,
    outflowOf,
    (chain) => stuckOf(chain, state.operators),
    unsettledOf,
    nodesOf,
  ]
  const chains = state.chains.map((chain) => ({ ...chain, lanes: inUse(chain, state.operators) }))
  for (const find of perChain) findings.push(...chains.flatMap(find))
  findings.push(...state.unconfiguredCredit.map(unconfigured))
  if (waiting.oldestAt !== null && nowMs - waiting.oldestAt > waitingMs) {
    findings.push({
      code: 'steps_waiting',
      chainId: null,
      message: `${waiting.steps} steps and ${waiting.airdrops} airdrops wait for a transaction; the oldest has waited for ${seconds(nowMs - waiting.oldestAt)} s.`,
      remedy:
        'Look at the other findings first. With none, see that a process with ROLE=engine or ROLE=all runs, and look into its log for the step. If that says that no node has the log of a payment, name a node in rpcUrls that keeps all logs. If steps are carried out all the same, there are more of them than the process can do: limit clients (RATE_LIMIT_PER_MINUTE), or run more processes on a shared database, with the API in processes of its own (ROLE=api).',
    })
  }
  return findings
}

/** Without those of keys that were changed for others: neither configured nor an operator, and paused for good. */
function inUse({ lanes, refused }: ChainState, operators: readonly string[]): LaneHealth[] {
  const isRetired = ({ status, signer }: LaneHealth) =>
    status === 'paused' && refused.includes(signer) && !operators.includes(signer)
  return lanes.filter((lane) => !isRetired(lane))
}

function downOf({ config, head }: ChainState): Finding[] {
  if (head !== null) return []
  const { chainId } = config
  const remedy = 'See to the nodes in the chain’s rpcUrls, or name others. Steps wait and nothing is lost.'
  return [{ code: 'chain_down', chainId, message: `No node of chain ${chainId} answers.`, remedy }]
}

function exposuresOf({ config }: ChainState, exposures: Exposure[]): Finding[] {
  return exposures
    .filter((exposure) => exposure.chainId === config.chainId)
    .map(({ kind, chainId, transactionHash, amount, token }) => ({
      code: 'exposure_open',
      chainId,
      message:
        kind === 'credit'
          ? `The payment ${transactionHash} is gone from the chain, and ${amount} of ${getAddress(token)} (in its smallest unit) was paid out on it.`
          : `${transactionHash} paid ${amount} of ${getAddress(token)} (in its smallest unit) after the credit for it had been given back.`,
      remedy:
        'Raise the chain’s confirmations. A payment that comes again makes it good by itself; else settle it with the user.',
    }))
}

function pausedOf({ config, lanes }: ChainState): Finding[] {
  return lanes
    .filter((lane) => lane.status === 'paused')
    .map(({ signer, reason }) => ({
      code: 'lane_paused',
      chainId: config.chainId,
      message: `The lane of ${getAddress(signer)} is paused: ${reason ?? 'no reason given'}`,
      remedy: `Find the reason, then: npm run operate -- lane resume ${config.chainId} ${getAddress(signer)}`,
    }))
}

function missingOf({ config, open }: ChainState, operators: readonly string[]): Finding[] {
  return [...open]
    .filter(([signer]) => !operators.includes(signer))
    .map(([signer, count]) => ({
      code: 'signer_missing',
      chainId: config.chainId,
      message: `${getAddress(signer)} has ${count} open transactions on chain ${config.chainId}, and its key is not configured.`,
      remedy: `Put the key back until its transactions are final: without it none of them can be replaced, and steps that they carry may wait for good. npm run operate -- status shows when.`,
    }))
}

function silentOf({ config, lanes }: ChainState): Finding[] {
  return lanes
    .filter((lane) => lane.status === 'active' && lane.reason !== null)
    .map(({ signer, reason }) => ({
      code: 'signer_silent',
      chainId: config.chainId,
      message: `${getAddress(signer)}: ${reason}`,
      remedy: 'See to the process that holds the key. Other signers take over meanwhile; with none, steps wait.',
    }))
}

function refusedOf({ config, lanes, refused }: ChainState): Finding[] {
  const { chainId } = config
  return lanes
    .filter(({ status, signer }) => status === 'active' && refused.includes(signer))
    .map((lane) => getAddress(lane.signer))
    .map((signer) => ({
      code: 'operator_refused',
      chainId,
      message: `The vault ${getAddress(config.vault)} does not know ${signer} as an operator, so it pays nothing.`,
      remedy: `Let the vault's owner call setOperator(${signer}, true). If its right was taken on purpose: npm run operate -- lane pause ${chainId} ${signer}. Other operators take over meanwhile; with none, steps wait.`,
    }))
}

function vaultPausedOf({ config, limits }: ChainState): Finding[] {
  if (!limits?.isPaused) return []
  return [
    {
      code: 'vault_paused',
      chainId: config.chainId,
      message: `The vault ${getAddress(config.vault)} is paused, so it pays nothing.`,
      remedy:
        'Let the vault’s owner call setPaused(false) once it is safe. Steps that it is to pay for fail meanwhile.',
    },
  ]
}

function outflowOf({ config, head, limits }: ChainState): Finding[] {
  if (head === null || limits === null) return []
  const today = Number(head.timestamp / 86_400n)
  return config.tokens.flatMap(({ id, address }, index): Finding[] => {
    const { cap, spent, day } = limits.outflows[index]!
    const left = day === today ? cap - spent : cap
    if (cap === 0n || left * lowOutflow >= cap) return []
    return [
      {
        code: 'outflow_cap_low',
        chainId: config.chainId,
        message: `The vault pays ${left > 0n ? left : 0n} of ${id} more today, in its smallest unit; its cap is ${cap} per day (UTC).`,
        remedy: `If that is what users have asked for, let the vault’s owner raise it: setOutflowCap(${getAddress(address)}, …). Payouts above it fail until midnight UTC.`,
      },
    ]
  })
}

/** In wei, what a signer should hold at least. */
function gasNeeded({ config, head }: ChainState): bigint {
  const price = 2n * (head?.baseFeePerGas ?? 0n) + config.priorityFeePerGas
  return fewTransactions * transactionGas * price
}

function lowOnGasOf(chain: ChainState): Finding[] {
  const { config, head, lanes } = chain
  if (head === null) return []
  const needed = gasNeeded(chain)
  return lanes
    .filter((lane) => lane.balance !== null && lane.balance < needed)
    .map(({ signer, balance }) => ({
      code: 'signer_low_on_gas',
      chainId: config.chainId,
      message: `${getAddress(signer)} holds ${balance} wei; ${fewTransactions} transactions take up to ${needed}.`,
      remedy: `Send it native currency of chain ${config.chainId}.`,
    }))
}

function emptyOf({ config, inventory }: ChainState): Finding[] {
  return (inventory ?? [])
    .filter(({ amount, minInventory }) => amount < minInventory)
    .map(({ id, amount, minInventory }) => ({
      code: 'vault_empty',
      chainId: config.chainId,
      message: `The vault holds ${amount} of ${id} in its smallest unit; it should hold ${minInventory} at least.`,
      remedy: `Send ${id} to the vault ${getAddress(config.vault)}. Steps that need it end as solver_liquidity and can be asked for again.`,
    }))
}

function unconfigured({ chainId, address, users, amount }: UnconfiguredCredit): Finding {
  const token = `the token ${getAddress(address)} of chain ${chainId}`
  return {
    code: 'credit_unconfigured',
    chainId,
    message: `${users} users have a credit of ${amount} in ${token} (in its smallest unit), which is configured no more: nothing can be paid from it.`,
    remedy: 'Put the token back into the chains file, so that they can have it paid out, or settle it with them.',
  }
}

/** What to do about transactions that are not mined, by what is known to keep them. */
function remedyOfStuck(chain: ChainState, signers: readonly Address[], operators: readonly string[]): string {
  const { config, head, lanes } = chain
  const missing = signers.filter((signer) => !operators.includes(signer))
  if (missing.length > 0) {
    return `Put the key of ${listed(missing)} back: without it its transactions can't be replaced.`
  }
  const price = (head?.baseFeePerGas ?? 0n) + config.priorityFeePerGas
  const poor = lanes.filter(
    ({ signer, balance }) => signers.includes(signer) && balance !== null && balance < transactionGas * price,
  )
  if (poor.length > 0) {
    const names = listed(poor.map(({ signer }) => signer))
    return `Send native currency of chain ${config.chainId} to ${names}: it can't pay for its transactions.`
  }
  if (head !== null && head.baseFeePerGas > config.maxFeePerGasCap) {
    return `Raise maxFeePerGasCap (${config.maxFeePerGasCap}) above the chain's base fee, which is ${head.baseFeePerGas}, or wait for it to fall.`
  }
  return 'See that the chain makes blocks and that maxFeePerGasCap is above its base fee; replacements stop at the cap.'
}

function listed(signers: readonly Address[]): string {
  return signers.map((signer) => getAddress(signer)).join(', ')
}

function stuckOf(chain: ChainState, operators: readonly string[]): Finding[] {
  const { config, stuck } = chain
  if (!stuck || stuck.stuck === 0) return []
  return [
    {
      code: 'transactions_stuck',
      chainId: config.chainId,
      message: `${stuck.stuck} of ${stuck.open} open transactions are not mined, from nonce ${stuck.lowestNonce} on.`,
      remedy: remedyOfStuck(chain, stuck.signers, operators),
    },
  ]
}

function unsettledOf({ config, unsettled }: ChainState): Finding[] {
  if (!unsettled || unsettled.unsettled === 0) return []
  return [
    {
      code: 'transactions_unsettled',
      chainId: config.chainId,
      message: `${unsettled.unsettled} transactions are final and what came of them can't be told, from block ${unsettled.lowestBlock} on.`,
      remedy:
        'Look into the log of a process with ROLE=engine or ROLE=all. If no node has the log of a payment, name one in rpcUrls that keeps all logs; if nodes disagree, see to them. The rest goes by itself then.',
    },
  ]
}

function nodesOf({ config, head, nodes }: ChainState): Finding[] {
  if (head === null) return []
  const { chainId } = config
  const behind = lags(nodes.map(({ number }) => number))
  return nodes.flatMap(({ number, fault }, index): Finding[] => {
    const name = `Node ${index + 1} of ${nodes.length} of chain ${chainId}`
    if (number === null) {
      const remedy = 'See to the node at that place in rpcUrls; the others are asked meanwhile.'
      const message = `${name} gives no usable answer${fault === null ? '.' : `: ${fault}.`}`
      return [{ code: 'node_down', chainId, message, remedy }]
    }
    if (behind[index] === 0) return []
    const remedy = 'See to the node at that place in rpcUrls, or take it out; the others are asked before it meanwhile.'
    return [{ code: 'node_lagging', chainId, message: `${name} is ${behind[index]} blocks behind.`, remedy }]
  })
}

function seconds(ms: number): number {
  return Math.round(ms / 1000)
}
