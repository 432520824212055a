import type { Address } from 'viem'
import type { Chain } from '../chain/chain.js'
import type { Store } from '../store/store.js'
import { type ChainHealth, type ChainState, type Finding, findingsOf, type HealthStatus } from './findings.js'

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

/** A report is made at most this often, however many ask. */
const freshForMs = 1_000

export type HealthService = ReturnType<typeof createHealth>

export function createHealth(deps: {
  store: Store
  chains: Map<number, Chain>
  /** Why a signer last gave no signature; without an entry it did. */
  signerFaults: ReadonlyMap<Address, { reason: string }>
  version: string
  now: () => number
}) {
  const { store, now } = deps
  let last: { at: number; report: Promise<HealthReport> } | null = null

  return {
    /** How the database, every chain and every signer are. Never throws. */
    report(): Promise<HealthReport> {
      if (!last || now() - last.at > freshForMs) last = { at: now(), report: makeReport() }
      return last.report
    },

    /** Whether the database answers. */
    isReady: async (): Promise<boolean> => (await databaseHealth()) === 'ok',
  }

  async function makeReport(): Promise<HealthReport> {
    const [database, states, shared] = await Promise.all([
      databaseHealth(),
      Promise.all([...deps.chains.values()].map(stateOf)),
      readShared(),
    ])
    const findings = findingsOf({ database, chains: states, ...shared, nowMs: now() })
    const chains = states.map((state): ChainHealth => {
      const { chainId } = state.config
      const isTroubled = findings.some((finding) => finding.chainId === chainId)
      return {
        chainId,
        status: state.head === null ? 'down' : isTroubled ? 'degraded' : 'ok',
        blockNumber: state.head === null ? null : Number(state.head.number),
        solverBalance: state.inventory && Object.fromEntries(state.inventory.map(({ id, amount }) => [id, amount])),
        lanes: state.lanes,
      }
    })
    const down = database === 'down' || chains.some((chain) => chain.status === 'down')
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
    return store.ping().then(
      () => 'ok' as const,
      () => 'down' as const,
    )
  }

  /** What the database tells of all chains together; nothing when it does not answer. */
  async function readShared() {
    const [draining, waiting, exposures] = await Promise.all([
      store.readDraining().catch(() => false),
      store.readWaiting().catch(() => ({ steps: 0, oldestAt: null })),
      store.readOpenExposures().catch(() => []),
    ])
    return { draining, waiting, exposures }
  }

  async function stateOf(chain: Chain): Promise<ChainState> {
    const { config } = chain
    const [known, stuck] = await Promise.all([
      store.readLanes(config.chainId).catch(() => []),
      store.readStuck(config.chainId, now() - stuckAfterMs(config.replaceAfterMs)).catch(() => null),
    ])
    const lanes = known.map((lane) => {
      const fault = deps.signerFaults.get(lane.signer)
      return lane.status === 'active' && fault ? { ...lane, reason: `It gives no signatures: ${fault.reason}` } : lane
    })
    try {
      const [head, inventory, accounts, nodes] = await Promise.all([
        chain.head(),
        chain.balances(
          config.vault,
          config.tokens.map((token) => token.address),
        ),
        chain.accounts(
          lanes.map((lane) => lane.signer),
          'latest',
        ),
        chain.nodes(),
      ])
      return {
        config,
        head,
        nodes: nodes.map((node) => (node ? Number(node.number) : null)),
        inventory: config.tokens.map((token, index) => ({ ...token, amount: inventory[index]! })),
        lanes: lanes.map((lane, index) => ({ ...lane, balance: accounts[index]!.balance })),
        stuck,
      }
    } catch {
      return {
        config,
        head: null,
        nodes: config.rpcUrls.map(() => null),
        inventory: null,
        lanes: lanes.map((lane) => ({ ...lane, balance: null })),
        stuck,
      }
    }
  }
}

/** Replacements have had three chances by then. */
function stuckAfterMs(replaceAfterMs: number): number {
  return 3 * replaceAfterMs + 10_000
}
