/**
 * Compares the ledger with the vaults' real balances on every chain and explains each difference.
 * Usage: npm run reconcile (the service's own configuration; with SQLite, while the service is stopped).
 * Ends with 1 when a vault or a user's balance can't be explained.
 */
import { join } from 'node:path'
import { formatUnits } from 'viem'
import { loadConfig } from '../server/config.js'
import { startDevnet } from '../server/devnet/devnet.js'
import { hideSecrets } from '../server/logging.js'
import { createDatabase } from '../server/store/database.js'
import { compareVaults, type VaultReport } from './reconcile/compareVaults.js'
import type { Suspect } from './reconcile/suspects.js'

const loaded = loadConfig(process.env)
if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
const { config } = loaded
const database = createDatabase(config.database)
await database.migrate()
const devnet = config.deployment ? null : await startDevnet({ dataDir: join(config.dataDir, 'chains') })
try {
  const { vaults, balanceFaults } = await compareVaults(database, (config.deployment ?? devnet!).chains)
  for (const vault of vaults) print(vault)
  for (const fault of balanceFaults) {
    console.log(`FAULT ${fault.part} of ${fault.user} on ${fault.chainId}: kept ${fault.kept}, ledger ${fault.ledger}`)
  }
  const faults = vaults.filter((vault) => vault.unexplained !== 0n).length + balanceFaults.length
  console.log(faults === 0 ? 'Everything is explained.' : `${faults} faults.`)
  process.exitCode = faults === 0 ? 0 : 1
} catch (error) {
  // What a node's client says holds the node's address, and with it a credential.
  console.error(hideSecrets(config)(error instanceof Error ? error.message : String(error)))
  process.exitCode = 1
} finally {
  await devnet?.stop()
  await database.close()
}

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
