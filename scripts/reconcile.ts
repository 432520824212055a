/**
 * Compares the ledger with the vaults' real balances on every chain and explains each difference.
 * Usage: npm run reconcile [-- --embedded] (the service's own configuration, or the embedded defaults; with SQLite, while the
 * service is stopped). While it runs, what was paid and is not booked yet can't be explained; it is said how many
 * transactions that may be.
 * Ends with 1 when a vault or a user's balance can't be explained.
 */
import { formatUnits } from 'viem'
import { atService } from './atService.js'
import { compareVaults, type VaultReport } from './reconcile/compareVaults.js'
import type { Suspect } from './reconcile/suspects.js'
import { helpIfAsked } from './usage.js'

const usage = 'Usage: npm run reconcile [-- --embedded]'

helpIfAsked(usage)
await atService(async ({ database, chains, words }) => {
  if (words.length > 0) throw new Error(usage)
  const { vaults, balanceFaults, unsettled } = await compareVaults(database, chains)
  for (const vault of vaults) print(vault)
  for (const fault of balanceFaults) {
    console.log(
      `FAULT ${fault.part} ${fault.token} of ${fault.user} on ${fault.chainId}, in its smallest unit: kept ${fault.kept}, ledger ${fault.ledger}`,
    )
  }
  const unexplained = vaults.filter((vault) => vault.unexplained !== 0n)
  for (const { chainId, transactions } of unsettled) {
    if (unexplained.some((vault) => vault.chainId === chainId))
      console.log(`${transactions} transactions on ${chainId} were not settled yet; run this again once they are.`)
  }
  const faults = unexplained.length + balanceFaults.length
  console.log(faults === 0 ? 'Everything is explained.' : `${faults} faults.`)
  process.exitCode = faults === 0 ? 0 : 1
})

function print(vault: VaultReport): void {
  const show = (amount: bigint) => formatUnits(amount, vault.token.decimals)
  console.log(`${vault.chainId} ${vault.token.symbol}: holds ${show(vault.balance)}`)
  console.log(`  recorded payments   ${show(vault.recorded)}`)
  for (const { from, hash, amount } of vault.unrecorded)
    console.log(`  other arrival       ${show(amount)} from ${from} in ${hash}`)
  console.log(`  withdrawn by owner -${show(vault.withdrawn)}`)
  console.log(`  paid out           -${show(vault.paid)}`)
  if (vault.unexplained !== 0n) console.log(`  FAULT unexplained   ${show(vault.unexplained)}`)
  for (const suspect of vault.suspects) console.log(`    ${describe(suspect, show)}`)
}

function describe(suspect: Suspect, show: (amount: bigint) => string): string {
  switch (suspect.kind) {
    case 'arrival':
      return `${suspect.hash} brought ${show(suspect.onChain)} by its log, booked is ${show(suspect.booked)}`
    case 'unbooked':
      return `${suspect.hash} paid ${show(suspect.onChain)}, of which the ledger knows nothing`
    case 'unpaid':
      return `${suspect.cause} says that ${show(suspect.booked)} were paid, of which the chain knows nothing`
  }
}
