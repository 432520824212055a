import type { Address } from 'viem'
import { createChains } from '../../server/chain/createChain.js'
import { nativeToken } from '../../server/domain/action.js'
import { sum } from '../../server/domain/bigints.js'
import { type ChainConfig, type TokenConfig, vaultsOf } from '../../server/domain/chainConfig.js'
import { createKnownChains } from '../../server/start/knownChains.js'
import { readGenesis } from '../../server/store/chainIdentities.js'
import type { Database } from '../../server/store/connection/database.js'
import { countOpenTransactions } from '../../server/store/journal/lanes.js'
import {
  type BalanceFault,
  checkBalances,
  type Owed,
  readKnownHashes,
  readOwed,
  readPayouts,
  readVaultMovements,
} from '../../server/store/money/reconciliation.js'
import { createStore } from '../../server/store/store.js'
import { bookedArrivals } from './bookedArrivals.js'
import { findUnconfigured, type NotLookedAt } from './findUnconfigured.js'
import { compareGroups, type GroupReport } from './compareGroups.js'
import { arrivalsWithoutLog, differingArrivals, type Suspect, unmatchedPayouts } from './suspects.js'
import { findUnknownPending, type UnknownPending } from './unknownPending.js'
import { createVaultLogs, type Movement } from './vaultLogs.js'

/**
 * What a chain's vault holds of one token, with its former ones, and where it comes from. All
 * amounts in the token's smallest unit.
 */
export type VaultReport = {
  chainId: number
  token: TokenConfig
  /** What the vaults hold on the chain. */
  balance: bigint
  /** Users' payments that the ledger has recorded. */
  recorded: bigint
  /** What else came in: the owner's inventory, and payments that nobody has registered. */
  unrecorded: { from: Address; hash: string; amount: bigint }[]
  /** What the owner took out. */
  withdrawn: bigint
  /** What the ledger says was paid out. */
  paid: bigint
  /** What users have credit for. */
  owed: Owed
  /**
   * `balance` less what should be there: all that came in less what went out. Anything but 0 is a fault, or a token
   * that keeps a part of what its logs say.
   */
  unexplained: bigint
  /**
   * Where it may come from, when something is unexplained. Native payouts leave no log of their amount: of these only
   * what transactions have paid that the journal does not know, or has given up, is named.
   */
  suspects: Suspect[]
}

export type Reconciliation = {
  vaults: VaultReport[]
  groups: GroupReport[]
  balanceFaults: BalanceFault[]
  notLookedAt: NotLookedAt[]
  /** How many transactions each chain had that were not final yet: what they pay is booked once they are. */
  unsettled: { chainId: number; transactions: number }[]
  pending: UnknownPending[]
}

/** Compares the ledger with the vaults' real balances on every chain, and explains each difference. */
export async function compareVaults(database: Database, chains: readonly ChainConfig[]): Promise<Reconciliation> {
  const unsettled: Reconciliation['unsettled'] = []
  for (const { chainId } of chains) {
    const open = await countOpenTransactions(database, chainId)
    const transactions = [...open.values()].reduce((total, ofLane) => total + ofLane, 0)
    if (transactions > 0) unsettled.push({ chainId, transactions })
  }
  const books = { ...(await readVaultMovements(database)), owed: await readOwed(database) }
  const vaults: VaultReport[] = []
  for (const chain of chains) vaults.push(...(await compareChain(database, chain, books)))
  const { isGenesis } = createKnownChains(createStore(database), chains)
  const pending: UnknownPending[] = []
  for (const chain of createChains(chains, { isGenesis }).values())
    pending.push(...(await findUnknownPending(database, chain)))
  const balanceFaults = await checkBalances(database)
  const notLookedAt = findUnconfigured(books, chains)
  return { vaults, groups: compareGroups(vaults), balanceFaults, notLookedAt, unsettled, pending }
}

/** What the ledger says, by `{chainId}:{token}`. */
export type Books = Awaited<ReturnType<typeof readVaultMovements>> & { owed: Map<string, Owed> }

async function compareChain(database: Database, chain: ChainConfig, books: Books): Promise<VaultReport[]> {
  const logs = createVaultLogs(chain, vaultsOf(chain), await readGenesis(database, chain.chainId))
  const head = await logs.head()
  const range = { from: await logs.start(head), head }
  const seen = await logs.arrivalsAndWithdrawals(range)
  const balances = await logs.balances(head)
  const reports: VaultReport[] = []
  for (const token of chain.tokens) {
    const ofToken = (movement: Movement) => movement.token === token.address
    reports.push(
      await compareVault(token, {
        arrivals: seen.arrivals.filter(ofToken),
        withdrawals: seen.withdrawals.filter(ofToken),
        balance: balances.get(token.address)!,
      }),
    )
  }
  return reports

  async function compareVault(
    token: TokenConfig,
    { arrivals, withdrawals, balance }: { arrivals: Movement[]; withdrawals: Movement[]; balance: bigint },
  ): Promise<VaultReport> {
    const place = `${chain.chainId}:${token.address}`
    const booked = books.arrivals.get(place) ?? new Map<string, bigint>()
    const { amounts, causes } = bookedArrivals(arrivals, booked)
    const inLedger = (arrival: Movement) => amounts.get(arrival)
    // Also of what the chain has no log of (any more): it is credit, and nothing is behind it.
    const recorded = sum([...booked.values()])
    const unrecorded = arrivals.filter((arrival) => inLedger(arrival) === undefined)
    const withdrawn = sum(withdrawals.map(({ amount }) => amount))
    const paid = books.paid.get(place) ?? 0n
    const unbooked = sum(unrecorded.map(({ amount }) => amount))
    const unexplained = balance - (recorded + unbooked - withdrawn - paid)
    const report = {
      chainId: chain.chainId,
      token,
      balance,
      recorded,
      unrecorded: unrecorded.map(({ party, hash, amount }) => ({ from: party, hash, amount })),
      withdrawn,
      paid,
      owed: books.owed.get(place) ?? { available: 0n, reserved: 0n },
      unexplained,
    }
    if (unexplained === 0n) return { ...report, suspects: [] }
    const suspects = [...differingArrivals(arrivals, inLedger), ...arrivalsWithoutLog(booked, causes)]
    if (token.address === nativeToken) return { ...report, suspects: [...suspects, ...(await nativeSuspects())] }
    const isWithdrawal = ({ hash }: Movement) => withdrawals.some((withdrawal) => withdrawal.hash === hash)
    const payouts = (await logs.transfersOut(token.address, range)).filter((payout) => !isWithdrawal(payout))
    suspects.push(...unmatchedPayouts(payouts, await readPayouts(database, chain.chainId, token.address)))
    return { ...report, suspects }
  }

  async function nativeSuspects(): Promise<Suspect[]> {
    const fulfilments = await logs.fulfilments(range)
    const known = await readKnownHashes(database, fulfilments)
    const unknown = fulfilments.filter((hash) => known.get(hash)?.isGivenUp ?? true)
    const booked = await readPayouts(database, chain.chainId, nativeToken)
    // A step that was adopted names a transaction that the journal does not know.
    const adopted = booked.filter(({ hash }) => hash !== null && unknown.includes(hash))
    return unmatchedPayouts(await logs.nativePayouts(unknown), adopted)
  }
}
