import type { Address } from 'viem'
import { type Database, isDuplicate } from './database.js'

/**
 * A lane is one signer on one chain, with the nonce that is to be signed next.
 * States: `active`: takes work. `paused`: the chain and the journal disagree about the nonce, or an operator stopped
 * it; nothing new is signed, what is open is still watched. Only an operator makes it active again.
 */
export type Lane = {
  chainId: number
  signer: Address
  nextNonce: number
  status: 'active' | 'paused'
  reason: string | null
}

type LaneRow = {
  chain_id: number
  signer: Address
  next_nonce: number
  status: 'active' | 'paused'
  reason: string | null
}

/** Opens a lane at the chain's nonce; one that exists stays as it is. */
export async function openLane(
  database: Database,
  lane: { chainId: number; signer: Address; chainNonce: number },
  now: number,
): Promise<void> {
  try {
    await database.write((knex) =>
      knex('lanes').insert({
        chain_id: lane.chainId,
        signer: lane.signer,
        next_nonce: lane.chainNonce,
        status: 'active',
        updated_at: now,
      }),
    )
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
}

export async function readLanes(database: Database, chainId: number): Promise<Lane[]> {
  const rows = await database.knex<LaneRow>('lanes').where({ chain_id: chainId }).orderBy('signer')
  return rows.map((row) => ({
    chainId: row.chain_id,
    signer: row.signer,
    nextNonce: row.next_nonce,
    status: row.status,
    reason: row.reason,
  }))
}

/**
 * Stops a lane from signing anything new. With `seenNonce` only if the lane still stands there: a finding that rests on
 * a node's old view of the lane stops nothing. False: it has moved on.
 */
export async function pauseLane(
  database: Database,
  lane: { chainId: number; signer: Address; reason: string; seenNonce?: number },
  now: number,
): Promise<boolean> {
  const key = { chain_id: lane.chainId, signer: lane.signer }
  const paused = await database.write((knex) =>
    knex('lanes')
      .where(lane.seenNonce === undefined ? key : { ...key, next_nonce: lane.seenNonce })
      .update({ status: 'paused', reason: lane.reason, updated_at: now }),
  )
  return paused > 0
}

/** How many transactions of each signer are not final yet. */
export async function countOpenTransactions(database: Database, chainId: number): Promise<Map<Address, number>> {
  const rows = (await database
    .knex('transactions')
    .where({ chain_id: chainId, status: 'open' })
    .groupBy('signer')
    .select('signer')
    .count({ open: '*' })) as unknown as { signer: Address; open: number | string }[]
  return new Map(rows.map((row) => [row.signer, Number(row.open)]))
}
