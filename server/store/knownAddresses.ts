import type { Address } from 'viem'
import type { AddressOfChain, KnownAddress } from '../domain/compareKnown.js'
import type { Database } from './connection/database.js'

type Row = { chain_id: number; kind: KnownAddress['kind']; address: Address; is_dropped: number | boolean }

/** As many rows as one statement takes. */
const rowsAtOnce = 500

/** The vaults, tokens and funders that the service has been started with, ever. */
export async function readKnownAddresses(database: Database): Promise<KnownAddress[]> {
  const rows = await database.knex<Row>('known_contracts').orderBy(['chain_id', 'kind', 'address'])
  return rows.map(({ chain_id, kind, address, is_dropped }) => ({
    chainId: chain_id,
    kind,
    address,
    isDropped: Boolean(is_dropped),
  }))
}

/** Stores which of them the chains file names now, and which it has dropped. */
export async function rememberAddresses(
  database: Database,
  { named, dropped }: { named: readonly AddressOfChain[]; dropped: readonly AddressOfChain[] },
): Promise<void> {
  const rows = [...named.map(rowOf(false)), ...dropped.map(rowOf(true))]
  if (rows.length === 0) return
  await database.transact(async (trx) => {
    for (let at = 0; at < rows.length; at += rowsAtOnce) {
      await trx<Row>('known_contracts')
        .insert(rows.slice(at, at + rowsAtOnce))
        .onConflict(['chain_id', 'kind', 'address'])
        .merge(['is_dropped'])
    }
  })
}

const rowOf =
  (isDropped: boolean) =>
  ({ chainId, kind, address }: AddressOfChain): Row => ({ chain_id: chainId, kind, address, is_dropped: isDropped })
