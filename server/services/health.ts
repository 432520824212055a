import type { Address } from 'viem'
import type { Chain } from '../chain/chain.js'
import type { Store } from '../store/store.js'

export type HealthStatus = 'ok' | 'degraded' | 'down'

export type ChainHealth = {
  chainId: number
  status: HealthStatus
  /** Null: the chain does not answer. */
  blockNumber: number | null
  /** What the vault holds, by the token's id, in its smallest unit. Null: the chain does not answer. */
  solverBalance: Record<string, bigint> | null
  lanes: {
    signer: Address
    status: 'active' | 'paused'
    reason: string | null
    nextNonce: number
    /** In wei. Null: the chain does not answer. */
    balance: bigint | null
  }[]
}

export type HealthReport = { status: HealthStatus; version: string; database: HealthStatus; chains: ChainHealth[] }

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
  let last: { at: number; report: Promise<HealthReport> } | null = null

  return {
    /** How the database, every chain and every signer are. Never throws. */
    report(): Promise<HealthReport> {
      if (!last || deps.now() - last.at > freshForMs) last = { at: deps.now(), report: makeReport() }
      return last.report
    },

    /** Whether the database answers. */
    isReady: async (): Promise<boolean> => (await databaseHealth()) === 'ok',
  }

  async function makeReport(): Promise<HealthReport> {
    const [database, chains] = await Promise.all([
      databaseHealth(),
      Promise.all([...deps.chains.values()].map((chain) => chainHealth(chain))),
    ])
    return {
      status: worst([database, ...chains.map((chain) => chain.status)]),
      version: deps.version,
      database,
      chains,
    }
  }

  async function databaseHealth(): Promise<HealthStatus> {
    return deps.store.ping().then(
      () => 'ok' as const,
      () => 'down' as const,
    )
  }

  async function chainHealth(chain: Chain): Promise<ChainHealth> {
    const { chainId, vault, tokens } = chain.config
    const lanes = (await deps.store.readLanes(chainId).catch(() => [])).map((lane) => {
      const fault = deps.signerFaults.get(lane.signer)
      return lane.status === 'active' && fault ? { ...lane, reason: `It gives no signatures: ${fault.reason}` } : lane
    })
    try {
      const [head, inventory, accounts] = await Promise.all([
        chain.head(),
        chain.balances(
          vault,
          tokens.map((token) => token.address),
        ),
        chain.accounts(
          lanes.map((lane) => lane.signer),
          'latest',
        ),
      ])
      const view = lanes.map((lane, index) => ({ ...lane, balance: accounts[index]!.balance }))
      const troubled = view.some((lane) => lane.reason !== null || lane.balance === 0n)
      return {
        chainId,
        status: troubled ? 'degraded' : 'ok',
        blockNumber: Number(head.number),
        solverBalance: Object.fromEntries(tokens.map((token, index) => [token.id, inventory[index]!])),
        lanes: view,
      }
    } catch {
      const view = lanes.map((lane) => ({ ...lane, balance: null }))
      return { chainId, status: 'down', blockNumber: null, solverBalance: null, lanes: view }
    }
  }
}

function worst(parts: HealthStatus[]): HealthStatus {
  if (parts.includes('down')) return 'down'
  return parts.includes('degraded') ? 'degraded' : 'ok'
}
