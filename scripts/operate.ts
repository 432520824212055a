/**
 * What an operator decides, for all replicas at once.
 * Usage: npm run operate -- status
 *        npm run operate -- drain on|off
 *        npm run operate -- lane pause <chainId> <operator> [reason]
 *        npm run operate -- lane resume <chainId> <operator>
 *        npm run operate -- lane retire <chainId> <operator> [--give-up]
 *        npm run operate -- exposure settle <id>
 *        npm run operate -- payout acknowledge <chainId> <token> <transactionHash> <amount> [<user>]
 *        npm run operate -- payout forget <chainId> <token> <transactionHash> [<user>]
 *        npm run operate -- owner pause|unpause|accept [<chainId>]
 *        npm run operate -- owner revoke <operator> [<chainId>]
 *        npm run operate -- owner withdraw <chainId> <token> <to> <amount>
 * Amounts are in the token's smallest unit. It works on the service's own database and chains, named by the same environment,
 * or with --embedded on the embedded defaults. What the owner of the vaults has to send is printed, needs the chains file and
 * nothing else, and is sent by nobody. With SQLite the service has to be stopped for the others; drain mode is then changed by
 * sending its process SIGUSR2 (exactly one process: it toggles).
 */
import { createChains } from '../server/chain/createChain.js'
import type { ChainConfig } from '../server/domain/chainConfig.js'
import { createKnownChains } from '../server/start/knownChains.js'
import type { Database } from '../server/store/connection/database.js'
import { readKnownAddresses } from '../server/store/knownAddresses.js'
import { createStore, type Store } from '../server/store/store.js'
import { readUnderWay } from '../server/store/underWay.js'
import { atChains, atService } from './tools/atService.js'
import { describeOwnerCalls, ownerUsage } from './operate/ownerCalls.js'
import { pause } from './operate/pause.js'
import { resumeAtChain } from './operate/resumeAtChain.js'
import { retire } from './operate/retire.js'
import { bookUnknownPayout, payoutUsage } from './operate/unknownPayouts.js'
import { readAddress, readChainId } from './operate/words.js'
import { helpIfAsked } from './tools/usage.js'

const usage =
  'Usage: npm run operate -- status | drain on|off | lane pause <chainId> <operator> [reason] | ' +
  'lane resume <chainId> <operator> | lane retire <chainId> <operator> [--give-up] | ' +
  `exposure settle <id> | ${payoutUsage} | ${ownerUsage} [--embedded]`

helpIfAsked(usage)
const isOfOwner = process.argv.slice(2).find((word) => word !== '--embedded') === 'owner'
await (isOfOwner ? atChains(tellOwner) : atService(operate))

function operate({ database, chains, words }: { database: Database; chains: ChainConfig[]; words: string[] }) {
  const store = createStore(database)
  const { isGenesis } = createKnownChains(store, chains)
  return run(words, { database, store, chains: createChains(chains, { isGenesis }) })
}

type Place = { database: Database; store: Store; chains: ReturnType<typeof createChains> }

async function tellOwner({ words, chains }: { words: string[]; chains: ChainConfig[] }): Promise<void> {
  const lines = await describeOwnerCalls(words.slice(1), chains)
  if (!lines) return refuseWords()
  for (const line of lines) console.log(line)
}

async function run(words: string[], place: Place): Promise<void> {
  const { store, chains } = place
  const [what, order, chainId, operator, ...rest] = words
  if (what === 'status' && words.length === 1) return printStatus(place)
  if (what === 'drain' && (order === 'on' || order === 'off') && words.length === 2) {
    await store.setDraining(order === 'on', Date.now())
    return printStatus(place)
  }
  if (what === 'lane' && chainId && operator) {
    const lane = { chainId: readChainId(chainId), signer: readAddress(operator, '<operator>') }
    const reason = rest.join(' ') || 'by an operator'
    if (order === 'pause') return void console.log(await pause({ ...lane, reason }, store))
    const chain = chains.get(lane.chainId)
    if (!chain) throw new Error(`There is no chain ${chainId} in the configuration`)
    const givesUp = rest[0] === '--give-up'
    if (order === 'resume' && rest.length === 0) return void console.log(await resumeAtChain(chain, lane.signer, store))
    if (order === 'retire' && rest.length === (givesUp ? 1 : 0))
      return void console.log(await retire(chain, lane.signer, place.database, { givesUp }))
  }
  const id = words[2] ?? ''
  if (what === 'exposure' && order === 'settle' && /^[1-9]\d{0,14}$/.test(id)) {
    if (!(await store.settleExposure(Number(id), Date.now()))) throw new Error(`There is no open exposure ${id}`)
    return printStatus(place)
  }
  const booked = what === 'payout' ? await bookUnknownPayout(words.slice(1), place) : null
  if (booked === null) return refuseWords()
  console.log(booked)
}

function refuseWords(): void {
  console.error(usage)
  process.exitCode = 1
}

async function printStatus({ database, store, chains }: Place): Promise<void> {
  const [draining, waiting] = await Promise.all([store.readDraining(), store.readWaiting()])
  console.log(`drain mode: ${draining ? 'on' : 'off'}`)
  const steps = waiting.reduce((sum, chain) => sum + chain.steps, 0)
  console.log(`accepted steps that no transaction carries yet: ${steps}`)
  for (const { id, kind, chainId, transactionHash, user, token, amount } of await store.readOpenExposures()) {
    const what = kind === 'credit' ? 'a payment that is gone was paid out on' : 'was paid without credit'
    console.log(`exposure ${id}: ${transactionHash} on chain ${chainId}, ${what}: ${amount} of ${token}, user ${user}`)
  }
  const known = (await readKnownAddresses(database)).map(({ chainId }) => chainId)
  for (const chainId of new Set([...chains.keys(), ...known])) {
    const { steps, transactions, deposits, airdrops, lanesAhead } = await readUnderWay(database, chainId)
    console.log(`chain ${chainId}${chains.has(chainId) ? '' : ', which is not configured'}`)
    console.log(
      `  under way: ${steps} steps that no transaction carries, ${transactions} transactions, ${deposits} reported deposits, ${airdrops} airdrops, ${lanesAhead} lanes that it is ahead of`,
    )
    const [lanes, open] = await Promise.all([store.readLanes(chainId), store.countOpenTransactions(chainId)])
    for (const { signer, status, nextNonce, reason } of lanes) {
      const transactions = `${open.get(signer) ?? 0} open transactions`
      console.log(`  ${signer} ${status}, ${transactions}, next nonce ${nextNonce}${reason ? `: ${reason}` : ''}`)
    }
  }
}
