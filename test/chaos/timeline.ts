import { rpc } from '../../server/devnet/anvil.js'
import type { Database } from '../../server/store/connection/database.js'
import type { FormRow, TransactionRow } from '../../server/store/rows.js'
import type { Saw } from './client.js'
import type { SeenSend } from './chaosProxy.js'
import type { World } from './world.js'

type Line = { at: number; text: string }

/**
 * Everything that is known of an action, in the order of its times: its events, the transactions and their signed forms
 * in the journal, what the proxies saw and did, what the client saw, and what the chain says of each hash.
 */
export async function describeAction(
  actionId: string,
  run: { world: World; database: Database; saw?: readonly Saw[]; planName?: string },
): Promise<string> {
  const { database, world } = run
  const events = await database
    .knex<{ action_id: string; sequence: number; step: string; created_at: number }>('events')
    .where({ action_id: actionId })
    .orderBy('sequence')
  const lines: Line[] = events.map((event) => ({
    at: Number(event.created_at),
    text: `event ${event.sequence} ${describeStep(JSON.parse(event.step) as Record<string, unknown>)}`,
  }))
  const hashes = new Set(
    events.flatMap((event) => {
      const { transactionHash } = JSON.parse(event.step) as { transactionHash: string | null }
      return transactionHash ? [transactionHash] : []
    }),
  )
  lines.push(...(await describeJournal(database, hashes)))
  for (const proxy of world.proxies) {
    lines.push(...proxy.seen.filter((entry) => hashes.has(entry.transaction.hash)).map((entry) => describeSend(entry)))
  }
  for (const entry of run.saw ?? []) {
    if (entry.name === run.planName) lines.push({ at: entry.at, text: `client ${entry.what}` })
  }
  lines.sort((a, b) => a.at - b.at)
  const start = lines[0]?.at ?? 0
  const told = lines.map(({ at, text }) => `  ${String(at - start).padStart(7)} ms  ${text}`)
  return [`action ${actionId}`, ...told, ...(await describeReceipts(world, hashes))].join('\n')
}

function describeStep(step: Record<string, unknown>): string {
  const { intentIndex, stepIndex, status, transactionHash, blockNumber, confirmations, attempts, error } = step
  return (
    `step ${String(intentIndex)}/${String(stepIndex)} ${String(status)} attempt ${String(attempts)} ` +
    `tx ${String(transactionHash)} block ${String(blockNumber)} conf ${String(confirmations)} ${JSON.stringify(error)}`
  )
}

/** Adds to the hashes those of the other forms of the same transactions. */
async function describeJournal(database: Database, hashes: Set<string>): Promise<Line[]> {
  const known = await database.knex<FormRow>('attempts').whereIn('hash', [...hashes])
  const ids = [...new Set(known.map((attempt) => attempt.transaction_id))]
  const attempts = await database.knex<FormRow>('attempts').whereIn('transaction_id', ids)
  const transactions = await database.knex<TransactionRow>('transactions').whereIn('id', ids)
  for (const attempt of attempts) hashes.add(attempt.hash)
  return [
    ...transactions.map((row) => ({
      at: Number(row.created_at),
      text:
        `journal transaction ${row.id} chain ${row.chain_id} signer ${row.signer} nonce ${row.nonce}: now ${row.status}, ` +
        `mined as ${row.mined_hash} in ${row.mined_block}, last answer ${row.send_outcome}`,
    })),
    ...attempts.map((row) => ({
      at: Number(row.created_at),
      text: `journal attempt ${row.hash} of transaction ${row.transaction_id}, fee ${row.max_fee_per_gas}${row.is_cancel ? ', cancel' : ''}`,
    })),
  ]
}

function describeSend({ at, transaction, node, fault, answer, note }: SeenSend): Line {
  const found = note === undefined ? '' : `, in the journal: ${String(note)}`
  return {
    at,
    text: `proxy ${transaction.chainId} node ${node} got ${transaction.hash} nonce ${transaction.nonce}: ${fault ?? 'no fault'}, answered "${answer}"${found}`,
  }
}

async function describeReceipts(world: World, hashes: ReadonlySet<string>): Promise<string[]> {
  const lines: string[] = []
  for (const chain of world.chains) {
    for (const hash of hashes) {
      const receipt = (await rpc(chain.rpcUrls[0]!, 'eth_getTransactionReceipt', [hash])) as {
        status: string
        blockNumber: string
        from: string
      } | null
      if (!receipt) continue
      const outcome = receipt.status === '0x1' ? 'success' : 'reverted'
      lines.push(
        `  chain ${chain.chainId}: ${hash} ${outcome} in block ${Number(receipt.blockNumber)} from ${receipt.from}`,
      )
    }
  }
  return lines
}
