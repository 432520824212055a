/**
 * What an operator decides, for all replicas at once. Usage: npm run operate -- --help
 *
 * Amounts are in the token's smallest unit. It works on the service's own database and chains, named by the same
 * environment, or with --embedded on the embedded defaults. What the owner of the vaults has to send is printed, needs
 * the chains file and nothing else, and is sent by nobody. With SQLite the service has to be stopped for the others;
 * drain mode is then changed by sending its process SIGUSR2 (exactly one process: it toggles).
 */
import { createChains } from '../server/chain/createChain.js'
import type { ChainConfig } from '../server/domain/chainConfig.js'
import { createKnownChains } from '../server/start/knownChains.js'
import type { Database } from '../server/store/connection/database.js'
import { createStore } from '../server/store/store.js'
import { atChains, atService } from './tools/atService.js'
import { ordersUsage, readOrder } from './operate/orders.js'
import { describeOwnerCalls, ownerUsage } from './operate/ownerCalls.js'
import { helpIfAsked } from './tools/usage.js'

const usage = `Usage: npm run operate -- ${ordersUsage} | ${ownerUsage} [--embedded]`

helpIfAsked(usage)
const isOfOwner = process.argv.slice(2).find((word) => word !== '--embedded') === 'owner'
await (isOfOwner ? atChains(tellOwner) : atService(operate))

async function operate({ database, chains, words }: { database: Database; chains: ChainConfig[]; words: string[] }) {
  const run = readOrder(words)
  if (!run) return refuseWords()
  const store = createStore(database)
  const { isGenesis } = createKnownChains(store, chains)
  await run({ database, store, chains: createChains(chains, { isGenesis }) })
}

async function tellOwner({ words, chains }: { words: string[]; chains: ChainConfig[] }): Promise<void> {
  const lines = await describeOwnerCalls(words.slice(1), chains)
  if (!lines) return refuseWords()
  for (const line of lines) console.log(line)
}

function refuseWords(): void {
  console.error(usage)
  process.exitCode = 1
}
