/**
 * Compares the ledger with the vaults' real balances on every chain and explains each difference, and says what is owed
 * to users. Usage: npm run reconcile [-- --embedded] (the service's own configuration, or the embedded defaults; with
 * SQLite, while the service is stopped). While it runs, what was paid and is not booked yet can't be explained; it is
 * said how many transactions that may be. Ends with 1 when a vault or a user's balance can't be explained.
 */
import { atService } from './tools/atService.js'
import { compareVaults } from './reconcile/compareVaults.js'
import { countFaults, describeReconciliation } from './reconcile/describeReconciliation.js'
import { helpIfAsked } from './tools/usage.js'

const usage = 'Usage: npm run reconcile [-- --embedded]'

helpIfAsked(usage)
await atService(async ({ database, chains, words }) => {
  if (words.length > 0) throw new Error(usage)
  const compared = await compareVaults(database, chains)
  for (const line of describeReconciliation(compared)) console.log(line)
  process.exitCode = countFaults(compared) === 0 ? 0 : 1
})
