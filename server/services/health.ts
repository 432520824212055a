import type { Address } from 'viem'
import type { Chain } from '../chain/chain.js'
import { elapsedMs } from '../domain/elapsed.js'
import type { ChainConfig } from '../domain/chainConfig.js'
import { mostConfirmations } from '../domain/finality.js'
import { lags } from '../domain/lag.js'
import type { Unopened } from '../domain/toldNonce.js'
import { settledOrAfter } from '../concurrency/settledOrAfter.js'
import type { OpenExposure } from '../store/money/exposures.js'
import type { WaitingWork } from '../store/healthReads.js'
import type { Store } from '../store/store.js'
import { findingsOf } from './findings.js'
import type {
  ChainHealth,
  ChainState,
  Finding,
  HealthStatus,
  LaneHealth,
  UnconfiguredCredit,
} from './findings/chainState.js'
import { createLastKnown, type LastSeen } from './lastKnown.js'

export type HealthReport = {
  status: HealthStatus
  version: string
  database: HealthStatus
  chains: ChainHealth[]
  /** Whether the service finishes what it has and accepts nothing new. */
  draining: boolean
  /** What an operator should look at, worst first. */
  findings: Finding[]
}

/** A process is not ready for requests when its database has been silent for longer. */
const readyWithinMs = 5_000
/** How often the database is asked to write something, which costs it a write to its disk. */
const writeEveryMs = 5_000
/**
 * The engine settles a final transaction in its next round: one that it should have settled so long ago is a finding.
 */
const settledWithinMs = 60_000
const settledWithinBlocks = 5
/** How long nodes are waited for to tell their heads: those that answer take less. */
const nodesMs = 300
/**
 * How long a look at a chain waits for each thing that it reads of the database, whose
 * silence says nothing of the chain.
 */
const databaseMs = 4_000

export type HealthService = ReturnType<typeof createHealth>

export function createHealth(deps: {
  store: Store
  chains: Map<number, Chain>
  /** The signers whose keys are configured. */
  operators: readonly Address[]
  /** By signer, why it gave no signature when it was last asked. No entry: it gave one. */
  signerFaults: ReadonlyMap<Address, { reason: string }>
  /** Keys without a lane, by chain id. */
  unopenedLanes: ReadonlyMap<number, ReadonlyMap<Address, Unopened>>
  /** Credit that nothing can be paid from until its token is configured again. */
  unconfiguredCredit: readonly UnconfiguredCredit[]
  version: string
  now: () => number
}) {
  const { store, now } = deps
  /** What came of the last write, and when it was tried. */
  let lastWrite = { at: -Infinity, isTaken: true }
  const seeDatabase = createLastKnown(databaseHealth, 'down', now)
  const seeShared = createLastKnown(readShared, nothingShared, now)
  const seeChains = [...deps.chains.values()].map((chain) =>
    createLastKnown(() => stateOf(chain), silentState(chain.config, []), now),
  )

  return {
    /**
     * The state of the database, of every chain and of every signer, within a second, or four at the very first: what
     * does not answer by then is told as it was last seen, while the look at it goes on. Never throws.
     */
    async report(): Promise<HealthReport> {
      const [database, shared, ...seen] = await Promise.all([
        seeDatabase(),
        seeShared(),
        ...seeChains.map((see) => see()),
      ])
      return makeReport(database.value, shared.value, seen)
    },

    /** Whether the database answers and takes writes, and has done so a moment ago. */
    async isReady(): Promise<boolean> {
      const { value, ageMs } = await seeDatabase()
      return value === 'ok' && ageMs !== null && ageMs <= readyWithinMs
    },
  }

  function makeReport(database: HealthStatus, shared: Shared, seen: LastSeen<ChainState>[]): HealthReport {
    const states = seen.map(({ value }) => value)
    const { operators, unconfiguredCredit } = deps
    const findings = findingsOf({ database, chains: states, ...shared, operators, unconfiguredCredit, nowMs: now() })
    const chains = seen.map(({ value: state, ageMs }): ChainHealth => {
      const { chainId } = state.config
      const isTroubled = findings.some((finding) => finding.chainId === chainId)
      return {
        chainId,
        status: state.head === null ? 'down' : isTroubled ? 'degraded' : 'ok',
        blockNumber: state.head === null ? null : Number(state.head.number),
        solverBalance: state.inventory && Object.fromEntries(state.inventory.map(({ id, amount }) => [id, amount])),
        lanes: state.lanes,
        ageMs,
      }
    })
    // Without writes nothing new can be accepted, and nothing goes on.
    const down = database !== 'ok' || chains.some((chain) => chain.status === 'down')
    return {
      status: down ? 'down' : findings.length > 0 ? 'degraded' : 'ok',
      version: deps.version,
      database,
      chains,
      draining: shared.draining,
      findings,
    }
  }

  async function databaseHealth(): Promise<HealthStatus> {
    try {
      const startedAt = now()
      if (elapsedMs(lastWrite.at, startedAt) >= writeEveryMs) {
        lastWrite = { at: startedAt, isTaken: await store.takesWrites(startedAt) }
      } else {
        await store.ping()
      }
      return lastWrite.isTaken ? 'ok' : 'degraded'
    } catch {
      return 'down'
    }
  }

  /** What the database tells of all chains together; nothing when it does not answer. */
  async function readShared(): Promise<Shared> {
    const [draining, waiting, exposures] = await Promise.all([
      store.readDraining().catch(() => nothingShared.draining),
      store.readWaiting().catch(() => nothingShared.waiting),
      store.readOpenExposures().catch(() => nothingShared.exposures),
    ])
    return { draining, waiting, exposures }
  }

  async function stateOf(chain: Chain): Promise<ChainState> {
    const { config } = chain
    const [known, open, stuck] = await Promise.all([
      answerOr([], store.readLanes(config.chainId)),
      answerOr(new Map<Address, number>(), store.countOpenOf(config.chainId)),
      answerOr(null, store.readStuck(config.chainId, now() - stuckAfterMs(config.replaceAfterMs))),
    ])
    const lanes = known.map((lane) => {
      const fault = lane.status === 'active' ? deps.signerFaults.get(lane.signer) : undefined
      return { ...lane, signerFault: fault?.reason ?? null }
    })
    const unopened = deps.unopenedLanes.get(config.chainId) ?? new Map<Address, Unopened>()
    // Nodes tell their heads first, so that one that is found to be behind is not asked for the rest.
    const askedNodes = chain.nodes()
    try {
      const signers = lanes.map((lane) => lane.signer)
      await settledOrAfter(askedNodes, nodesMs)
      const tokens = config.tokens.map((token) => token.address)
      const [head, inventory, limits, accounts, areOperators, nodes] = await Promise.all([
        chain.head(),
        chain.balances(config.vault, tokens),
        chain.vaultLimits(tokens),
        chain.accounts(signers, 'latest'),
        chain.areOperators(signers),
        askedNodes,
      ])
      const behind = lags(
        nodes.map((node) => node.head),
        now(),
      )
      const block = Number(head.number) - mostConfirmations(config) - settledWithinBlocks
      const late = { since: now() - settledWithinMs, block }
      const unsettled = await answerOr(null, store.readUnsettled(config.chainId, late))
      return {
        config,
        head,
        nodes: nodes.map(({ head: newest, fault }, index) => ({ behind: newest && behind[index]!, fault })),
        inventory: config.tokens.map((token, index) => ({ ...token, amount: inventory[index]! })),
        limits,
        lanes: lanes.map((lane, index) => ({ ...lane, balance: accounts[index]!.balance })),
        refused: signers.filter((_signer, index) => !areOperators[index]),
        unopened,
        open,
        stuck,
        unsettled,
      }
    } catch {
      const faults = (await askedNodes).map(({ fault }) => ({ behind: null, fault }))
      return { ...silentState(config, lanes), nodes: faults, unopened, open, stuck }
    }
  }
}

/** What the database answers; `otherwise` where it fails or is silent. */
async function answerOr<T>(otherwise: T, asked: Promise<T>): Promise<T> {
  let answer = otherwise
  const heard = asked.then((value) => (answer = value))
  await settledOrAfter(heard, databaseMs)
  return answer
}

type Shared = {
  draining: boolean
  waiting: WaitingWork[]
  exposures: OpenExposure[]
}

/** What is told while the database does not answer. */
const nothingShared: Shared = {
  draining: false,
  waiting: [],
  exposures: [],
}

/** What is told of a chain that does not answer. */
function silentState(config: ChainConfig, lanes: Omit<LaneHealth, 'balance'>[]): ChainState {
  return {
    config,
    head: null,
    nodes: config.rpcUrls.map(() => ({ behind: null, fault: null })),
    inventory: null,
    limits: null,
    lanes: lanes.map((lane) => ({ ...lane, balance: null })),
    refused: [],
    unopened: new Map(),
    open: new Map(),
    stuck: null,
    unsettled: null,
  }
}

/** An open transaction is stuck once it could have been replaced three times, and was not mined. */
function stuckAfterMs(replaceAfterMs: number): number {
  return 3 * replaceAfterMs + 10_000
}
