import type { Chain } from '../../server/chain/chain.js'
import type { Database } from '../../server/store/connection/database.js'
import { readKnownAddresses } from '../../server/store/knownAddresses.js'
import { readUnderWay } from '../../server/store/underWay.js'
import type { Store } from '../../server/store/store.js'

type Place = { database: Database; store: Store; chains: ReadonlyMap<number, Chain> }

export async function printStatus({ database, store, chains }: Place): Promise<void> {
  console.log(`drain mode: ${(await store.readDraining()) ? 'on' : 'off'}`)
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
    const [lanes, open] = await Promise.all([store.readLanes(chainId), store.countOpenOf(chainId)])
    for (const { signer, status, nextNonce, reason } of lanes) {
      const transactions = `${open.get(signer) ?? 0} open transactions`
      console.log(`  ${signer} ${status}, ${transactions}, next nonce ${nextNonce}${reason ? `: ${reason}` : ''}`)
    }
  }
}
