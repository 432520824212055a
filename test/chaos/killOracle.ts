import type { Address } from 'viem'
import { checkBalances } from '../../server/store/money/reconciliation.js'
import type { Database } from '../../server/store/connection/database.js'
import type { StepRow } from '../../server/store/rows.js'
import { balanceOf, reader } from '../support/wallets.js'
import type { Scenario } from './killScenarios.js'
import { type KillGround, type KillWorld, noncesOf, unexplainedBy } from './killWorld.js'

type TransactionRow = {
  id: number
  chain_id: number
  signer: Address
  nonce: number
  status: string
  mined_hash: `0x${string}` | null
}

/** Everything that is not as it has to be once a scenario has ended; empty when all is well. */
export async function findFaults(
  world: KillWorld,
  ground: KillGround,
  database: Database,
  scenario: Scenario,
  actionId: string,
): Promise<string[]> {
  return [
    ...(await stepFaults(database, actionId)),
    ...(await holdingFaults(scenario)),
    ...(await journalFaults(world, ground, database, scenario)),
    ...(await ledgerFaults(world, ground, database)),
  ]
}

/** The action as the books have it, for a person to read. */
export async function describeRun(database: Database, actionId: string | null): Promise<string> {
  const rows = async (table: string, order: string, columns: string[]) =>
    (await database.knex(table).orderBy(order).select(columns)).map((row) => `    ${JSON.stringify(row)}`).join('\n')
  return [
    `  action ${actionId}`,
    '  events',
    await rows('events', 'sequence', ['sequence', 'step', 'created_at']),
    '  steps',
    await rows('steps', 'step_index', ['step_index', 'status', 'attempts', 'transaction_id', 'due_at', 'open_account']),
    '  transactions',
    await rows('transactions', 'id', [
      ...['id', 'chain_id', 'signer', 'nonce', 'status', 'send_outcome'],
      ...['sent_at', 'mined_hash', 'mined_block', 'due_at', 'created_at', 'updated_at'],
    ]),
    '  attempts',
    await rows('attempts', 'transaction_id', ['transaction_id', 'hash', 'is_cancel', 'created_at']),
    '  lanes',
    await rows('lanes', 'chain_id', ['chain_id', 'signer', 'next_nonce', 'status', 'reason']),
  ].join('\n')
}

async function stepFaults(database: Database, actionId: string): Promise<string[]> {
  const actions = await database.knex<{ id: string }>('actions').select('id')
  const steps = await database.knex<StepRow>('steps').where({ action_id: actionId })
  const sequences = await database
    .knex<{ action_id: string; sequence: number }>('events')
    .where({ action_id: actionId })
    .orderBy('sequence')
    .select('sequence')
  return [
    ...(actions.length === 1 ? [] : [`there are ${actions.length} actions instead of one`]),
    ...steps
      .filter((step) => step.status !== 'success')
      .map((step) => `step ${step.step_index} is ${step.status} (${step.error_message})`),
    ...sequences
      .filter((row, index) => row.sequence !== index + 1)
      .map((row) => `the events have a gap before ${row.sequence}`),
  ]
}

async function holdingFaults(scenario: Scenario): Promise<string[]> {
  const faults: string[] = []
  for (const { who, chain, token, holder, amount } of scenario.holdings) {
    const held = await balanceOf(chain, token, holder)
    if (held !== amount) faults.push(`${who} holds ${held} instead of ${amount}`)
  }
  return faults
}

/** One transaction per nonce and step, every nonce used, all of them final, and the chain of the same opinion. */
async function journalFaults(
  world: KillWorld,
  ground: KillGround,
  database: Database,
  scenario: Scenario,
): Promise<string[]> {
  const faults: string[] = []
  const rows = await database.knex<TransactionRow>('transactions').orderBy('nonce')
  const attempts = await database.knex<{ transaction_id: number; hash: string }>('attempts')
  for (const row of rows) {
    const name = `the transaction with nonce ${row.nonce} of ${row.signer} on ${row.chain_id}`
    if (row.status !== 'final') faults.push(`${name} is ${row.status}`)
    if (row.mined_hash === null) continue
    if (!attempts.some((attempt) => attempt.transaction_id === row.id && attempt.hash === row.mined_hash)) {
      faults.push(`${name} was mined as ${row.mined_hash}, which the journal did not sign`)
    }
    const chain = world.chains.find((entry) => entry.chainId === row.chain_id)!
    const receipt = await reader(chain)
      .getTransactionReceipt({ hash: row.mined_hash })
      .catch(() => null)
    if (receipt?.status !== 'success') faults.push(`${name} is ${receipt?.status ?? 'not there'} on the chain`)
  }
  for (const { chainId } of world.chains) {
    const count = rows.filter((row) => row.chain_id === chainId).length
    const needed = scenario.transactions.get(chainId) ?? 0
    if (count !== needed) faults.push(`chain ${chainId} has ${count} transactions instead of ${needed}`)
  }
  return [...faults, ...(await laneFaults(world, ground, database, rows))]
}

async function laneFaults(
  world: KillWorld,
  ground: KillGround,
  database: Database,
  rows: TransactionRow[],
): Promise<string[]> {
  const faults: string[] = []
  const lanes = await database.knex<{ chain_id: number; signer: string; next_nonce: number; status: string }>('lanes')
  for (const [key, chainNonce] of await noncesOf(world)) {
    const [chainId, signer] = key.split(':') as [string, string]
    const used = rows.filter((row) => row.chain_id === Number(chainId) && row.signer === signer)
    const first = ground.nonces.get(key)!
    const nonces = used.map((row) => row.nonce).join(', ')
    if (used.some((row, index) => row.nonce !== first + index)) {
      faults.push(`${key} began at nonce ${first} and used ${nonces}`)
    }
    if (chainNonce !== first + used.length) faults.push(`${key} has nonce ${chainNonce} on the chain, used ${nonces}`)
    const lane = lanes.find((entry) => entry.chain_id === Number(chainId) && entry.signer === signer)
    if (lane?.next_nonce !== chainNonce) faults.push(`the lane ${key} is at ${lane?.next_nonce}, not ${chainNonce}`)
    if (lane?.status !== 'active') faults.push(`the lane ${key} is ${lane?.status}`)
  }
  return faults
}

async function ledgerFaults(world: KillWorld, ground: KillGround, database: Database): Promise<string[]> {
  const faults: string[] = []
  for (const [key, unexplained] of await unexplainedBy(database, world)) {
    const moved = unexplained - ground.unexplained.get(key)!
    if (moved !== 0n) faults.push(`the ledger does not explain ${moved} of the vault's ${key}`)
  }
  for (const fault of await checkBalances(database)) {
    faults.push(`${fault.part} of ${fault.user} is ${fault.kept}, by the ledger ${fault.ledger}`)
  }
  const reserved = await database.knex('reservations').where({ status: 'reserved' })
  if (reserved.length > 0) faults.push(`${reserved.length} reservations are left over`)
  return faults
}
