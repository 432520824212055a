import { type Address, createPublicClient, erc20Abi, http, parseAbiItem } from 'viem'
import { nativeToken } from '../../server/domain/action.js'
import { type ChainConfig, type TokenConfig, vaultsOf } from '../../server/domain/chainConfig.js'
import type { Database } from '../../server/store/database.js'
import { countOpenTransactions } from '../../server/store/lanes.js'
import { type BalanceFault, checkBalances, readPayouts, readVaultMovements } from '../../server/store/reconciliation.js'
import { differingArrivals, type Suspect, unmatchedPayouts } from './suspects.js'

/** What a chain's vault holds of one token, with its former ones, and where it comes from. All amounts in the token's smallest unit. */
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
  /** `balance` less what should be there: all that came in less what went out. Anything but 0 is a fault, or a token that keeps a part of what its logs say. */
  unexplained: bigint
  /** Where it may come from, when something is unexplained. Native payouts leave no log, so none of them is named. */
  suspects: Suspect[]
}

export type Reconciliation = {
  vaults: VaultReport[]
  balanceFaults: BalanceFault[]
  /** How many transactions each chain had that were not final yet: what they pay is booked once they are. */
  unsettled: { chainId: number; transactions: number }[]
}

const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const nativeReceivedEvent = parseAbiItem('event NativeReceived(address indexed from, uint256 amount)')
const withdrawnEvent = parseAbiItem('event Withdrawn(address indexed token, address indexed to, uint256 amount)')
/** As many blocks as nodes that limit the range of a search allow at least. */
const windowBlocks = 2_000n

/** Compares the ledger with the vaults' real balances on every chain, and explains each difference. */
export async function compareVaults(database: Database, chains: readonly ChainConfig[]): Promise<Reconciliation> {
  const unsettled: Reconciliation['unsettled'] = []
  for (const { chainId } of chains) {
    const open = await countOpenTransactions(database, chainId)
    const transactions = [...open.values()].reduce((total, ofLane) => total + ofLane, 0)
    if (transactions > 0) unsettled.push({ chainId, transactions })
  }
  const movements = await readVaultMovements(database)
  const vaults: VaultReport[] = []
  for (const chain of chains) {
    for (const token of chain.tokens) vaults.push(await compareVault(database, chain, token, movements))
  }
  return { vaults, balanceFaults: await checkBalances(database), unsettled }
}

type Movements = Awaited<ReturnType<typeof readVaultMovements>>

async function compareVault(
  database: Database,
  chain: ChainConfig,
  token: TokenConfig,
  movements: Movements,
): Promise<VaultReport> {
  const reader = createPublicClient({ transport: http(chain.rpcUrls[0]) })
  const head = await reader.getBlockNumber({ cacheTime: 0 })
  const arrivals = await arrivalsOf(chain, token, reader, head)
  const inLedger = ({ hash, logIndex }: (typeof arrivals)[number]) =>
    movements.arrivals.get(`arrival:${chain.chainId}:${hash}:${logIndex}`)
  const recorded = arrivals.reduce((total, arrival) => total + (inLedger(arrival) ?? 0n), 0n)
  const unrecorded = arrivals.filter((arrival) => inLedger(arrival) === undefined)
  const withdrawals = await withdrawalsOf(chain, token, reader, head)
  const withdrawn = sum(withdrawals)
  const paid = movements.paid.get(`${chain.chainId}:${token.address}`) ?? 0n
  const balance = await balanceOf(chain, token, reader, head)
  const unexplained = balance - (recorded + sum(unrecorded) - withdrawn - paid)
  const report = {
    chainId: chain.chainId,
    token,
    balance,
    recorded,
    unrecorded: unrecorded.map(({ from, hash, amount }) => ({ from, hash, amount })),
    withdrawn,
    paid,
    unexplained,
  }
  if (unexplained === 0n) return { ...report, suspects: [] }
  const suspects = differingArrivals(arrivals, inLedger)
  if (token.address === nativeToken) return { ...report, suspects }
  const isWithdrawal = ({ hash }: { hash: string }) => withdrawals.some((withdrawal) => withdrawal.hash === hash)
  const payouts = (await transfersOut(chain, token, reader, head)).filter((payout) => !isWithdrawal(payout))
  suspects.push(...unmatchedPayouts(payouts, await readPayouts(database, chain.chainId, token.address)))
  return { ...report, suspects }
}

type Reader = ReturnType<typeof createPublicClient>

/** Native currency shows only by the vault's own event; what a block's producer or a self-destruct adds does not. */
async function arrivalsOf(chain: ChainConfig, token: TokenConfig, reader: Reader, head: bigint) {
  const found: { from: Address; hash: string; logIndex: number; amount: bigint }[] = []
  for (const range of windows(head)) {
    if (token.address === nativeToken) {
      const logs = await reader.getLogs({ address: vaultsOf(chain), event: nativeReceivedEvent, ...range })
      for (const { args, transactionHash, logIndex } of logs) {
        found.push({ from: args.from!, hash: transactionHash, logIndex, amount: args.amount! })
      }
    } else {
      const logs = await reader.getLogs({
        address: token.address,
        event: transferEvent,
        args: { to: vaultsOf(chain) },
        ...range,
      })
      for (const { args, transactionHash, logIndex } of logs) {
        found.push({ from: args.from!, hash: transactionHash, logIndex, amount: args.value! })
      }
    }
  }
  return found
}

async function withdrawalsOf(chain: ChainConfig, token: TokenConfig, reader: Reader, head: bigint) {
  const found: { hash: string; amount: bigint }[] = []
  for (const range of windows(head)) {
    const args = { token: token.address }
    const logs = await reader.getLogs({ address: vaultsOf(chain), event: withdrawnEvent, args, ...range })
    found.push(...logs.map((log) => ({ hash: log.transactionHash, amount: log.args.amount! })))
  }
  return found
}

async function transfersOut(chain: ChainConfig, token: TokenConfig, reader: Reader, head: bigint) {
  const found: { hash: string; amount: bigint }[] = []
  for (const range of windows(head)) {
    const args = { from: vaultsOf(chain) }
    const logs = await reader.getLogs({ address: token.address, event: transferEvent, args, ...range })
    found.push(...logs.map((log) => ({ hash: log.transactionHash, amount: log.args.value! })))
  }
  return found
}

async function balanceOf(chain: ChainConfig, token: TokenConfig, reader: Reader, head: bigint): Promise<bigint> {
  const balances = vaultsOf(chain).map((vault) =>
    token.address === nativeToken
      ? reader.getBalance({ address: vault, blockNumber: head })
      : reader.readContract({
          address: token.address,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [vault],
          blockNumber: head,
        }),
  )
  return (await Promise.all(balances)).reduce((total, balance) => total + balance, 0n)
}

function* windows(head: bigint): Generator<{ fromBlock: bigint; toBlock: bigint }> {
  for (let from = 0n; from <= head; from += windowBlocks) {
    const end = from + windowBlocks - 1n
    yield { fromBlock: from, toBlock: end < head ? end : head }
  }
}

function sum(entries: { amount: bigint }[]): bigint {
  return entries.reduce((total, { amount }) => total + amount, 0n)
}
