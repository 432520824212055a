import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { rpc } from '../../server/devnet/anvil.js'
import type { Database } from '../../server/store/connection/database.js'
import type { FormRow, CreditRow, ReservationRow, StepRow, TransactionRow } from '../../server/store/rows.js'
import { balanceOf, tokenOf } from '../support/wallets.js'
import type { SeenSend } from './chaosProxy.js'
import type { Saw } from './client.js'
import { describeAction } from './timeline.js'
import type { Plan } from './workload.js'
import { seed, type World } from './world.js'

/** What a run leaves behind to be judged. */
export type Run = { world: World; database: Database; plans: readonly Plan[]; saw?: readonly Saw[] }

/** What of it the ledger itself is judged by. */
export type Ledger = { world: Pick<World, 'chains'>; database: Database }

/** Something that must not be. */
export type Fault = { what: string; actionId?: string | undefined }

/** Timelines of this many actions are enough to understand a failure. */
const timelines = 3

/** Throws, with the seed and timelines, when any promise of the service was broken in the run. */
export async function requireOracles(run: Run): Promise<void> {
  const faults = (
    await Promise.all([
      payouts(run),
      books(run),
      ledgerFaults(run),
      storedBeforeSent(run),
      unchangedPayloads(run),
      signedOnce(run),
    ])
  ).flat()
  if (faults.length > 0) throw new Error(await explain(faults, run))
}

/**
 * Does something with a run; what it throws gets the seed and the timelines of the actions that have not ended well.
 */
export async function withTimelines<T>(run: Run, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const open = await run.database
      .knex<StepRow>('steps')
      .whereIn('action_id', idsOf(run.plans))
      .whereNot({ status: 'success' })
    const reason = error instanceof Error ? error.message : String(error)
    const named = idsOf(run.plans).filter((id) => reason.includes(id))
    const faults = [...named, ...open.map((step) => step.action_id)].map((actionId) => ({ what: '', actionId }))
    throw new Error(await explain([{ what: reason }, ...faults], run), { cause: error })
  }
}

/** How many steps the fullest transaction was signed for; a run in which none has company proves nothing of bundles. */
export async function mostStepsTogether(database: Database): Promise<number> {
  const rows = await database.knex<{ signed_for: string }>('transactions').select('signed_for')
  return Math.max(0, ...rows.map((row) => (JSON.parse(row.signed_for) as unknown[]).length))
}

async function explain(faults: readonly Fault[], run: Run): Promise<string> {
  const what = faults.filter((fault) => fault.what !== '').map((fault) => `- ${fault.what}`)
  const shown = what.length > 30 ? [...what.slice(0, 30), `- and ${what.length - 30} more`] : what
  const actions = [...new Set(faults.flatMap(({ actionId }) => (actionId ? [actionId] : [])))].slice(0, timelines)
  const told = await Promise.all(
    actions.map((actionId) => {
      const planName = run.plans.find((plan) => plan.ref?.actionId === actionId)?.name
      return describeAction(actionId, { ...run, ...(planName !== undefined && { planName }) })
    }),
  )
  return [`seed ${seed} (repeat with CHAOS_SEED=${seed})`, ...shown, ...told].join('\n')
}

function idsOf(plans: readonly Plan[]): string[] {
  return plans.flatMap((plan) => (plan.ref ? [plan.ref.actionId] : []))
}

/** Every fresh recipient got exactly its amount, and its step says so. */
async function payouts({ world, database, plans }: Run): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const plan of plans) {
    const { chainIndex, recipient, amount } = plan.payout
    const chain = world.chains[chainIndex]
    const got = await balanceOf(chain, tokenOf(chain, 'usd').address, recipient)
    const actionId = plan.ref?.actionId
    if (got !== amount) faults.push({ what: `${plan.name}: ${recipient} got ${got} instead of ${amount}`, actionId })
    const step =
      plan.ref &&
      (await database
        .knex<StepRow>('steps')
        .where({ action_id: plan.ref.actionId, intent_index: 0, step_index: plan.stepIndex })
        .first())
    if (step?.status !== 'success') {
      faults.push({ what: `${plan.name}: its step is ${step ? `"${step.status}"` : 'lost'}`, actionId })
    }
  }
  return faults
}

/** What was paid out = what the ledger says = what the vaults lack. */
async function books({ world, database, plans }: Run): Promise<Fault[]> {
  const faults: Fault[] = []
  const { vaults, balanceFaults } = await compareVaults(database, world.chains)
  for (const fault of balanceFaults) {
    faults.push({ what: `${fault.part} of ${fault.user} is ${fault.kept}, in the ledger ${fault.ledger}` })
  }
  for (const { chainId, token, unexplained, paid } of vaults) {
    const name = `${token.id} of the vault on ${chainId}`
    if (unexplained !== 0n) faults.push({ what: `${name}: ${unexplained} unexplained` })
    const planned = plans
      .filter((plan) => plan.fromVault && world.chains[plan.payout.chainIndex].chainId === chainId)
      .reduce((sum, plan) => sum + plan.payout.amount, 0n)
    const expected = token.id === 'usd' ? planned : 0n
    if (paid !== expected) faults.push({ what: `${name}: the ledger has ${paid} paid out instead of ${expected}` })
  }
  return faults
}

/** What the rows and the lanes say by themselves, whatever was asked for. */
export async function ledgerFaults(ledger: Ledger): Promise<Fault[]> {
  return (await Promise.all([unfinished(ledger), nonces(ledger), depositsUsedOnce(ledger)])).flat()
}

async function unfinished({ database }: Ledger): Promise<Fault[]> {
  const steps = await database.knex<StepRow>('steps').where({ status: 'executing' })
  const transactions = await database.knex<TransactionRow>('transactions').where({ status: 'open' })
  const deposits = await database.knex<{ id: number; status: string }>('deposits').where({ status: 'pending' })
  const reserved = await database.knex<ReservationRow>('reservations').where({ status: 'reserved' })
  return [
    ...steps.map((row) => ({
      what: `step ${row.action_id}/${row.intent_index}/${row.step_index} is still executing`,
      actionId: row.action_id,
    })),
    ...transactions.map((row) => ({ what: `transaction ${row.id} is still open (nonce ${row.nonce})` })),
    ...deposits.map((row) => ({ what: `deposit ${row.id} is still pending` })),
    ...reserved.map((row) => ({ what: `credit ${row.credit_id} is still reserved`, actionId: row.action_id })),
  ]
}

/** A lane's nonces have no gap, and the chain has come exactly as far as the journal. */
async function nonces({ world, database }: Ledger): Promise<Fault[]> {
  const faults: Fault[] = []
  const lanes = await database.knex<{ chain_id: number; signer: string; next_nonce: number; status: string }>('lanes')
  for (const lane of lanes) {
    const name = `lane ${lane.chain_id}/${lane.signer}`
    const rows = await database
      .knex<TransactionRow>('transactions')
      .where({ chain_id: lane.chain_id, signer: lane.signer as `0x${string}` })
      .orderBy('nonce')
    const gap = rows.find((row, index) => index > 0 && row.nonce !== rows[index - 1]!.nonce + 1)
    if (gap) faults.push({ what: `${name}: no transaction below nonce ${gap.nonce}` })
    const last = rows.at(-1)
    if (last && last.nonce + 1 !== lane.next_nonce) {
      faults.push({ what: `${name}: its last nonce is ${last.nonce}, and its next ${lane.next_nonce}` })
    }
    const chain = world.chains.find((entry) => entry.chainId === lane.chain_id)!
    const mined = Number(await rpc(chain.rpcUrls[0]!, 'eth_getTransactionCount', [lane.signer, 'latest']))
    if (mined !== lane.next_nonce) faults.push({ what: `${name}: next is ${lane.next_nonce}, on the chain ${mined}` })
    if (lane.status !== 'active') faults.push({ what: `${name} is ${lane.status}` })
  }
  return faults
}

/** Nothing was drawn on a payment beyond it, and none backs two things. */
async function depositsUsedOnce({ database }: Ledger): Promise<Fault[]> {
  const faults: Fault[] = []
  const credits = await database.knex<CreditRow>('credits')
  const reservations = await database.knex<ReservationRow>('reservations')
  const logs = new Set<string>()
  for (const credit of credits) {
    const log = `${credit.chain_id}:${credit.transaction_hash}:${credit.log_index}`
    if (logs.has(log)) faults.push({ what: `log ${log} became credit twice` })
    logs.add(log)
    const spent = reservations
      .filter((row) => row.credit_id === credit.id && row.status === 'spent')
      .reduce((sum, row) => sum + BigInt(row.amount), 0n)
    const kept = BigInt(credit.available) + BigInt(credit.reserved)
    if (spent + kept !== BigInt(credit.amount)) {
      faults.push({ what: `credit ${credit.id}: ${credit.amount} came, ${spent} spent, ${kept} left` })
    }
  }
  const paid = await database.knex<StepRow>('steps').where({ kind: 'payment', status: 'success' })
  const backed = new Map<string, string>()
  for (const step of paid) {
    const payment = `${step.chain_id}:${step.transaction_hash}:${step.user}`
    const other = backed.get(payment)
    if (other)
      faults.push({ what: `payment ${payment} backs ${other} and ${step.action_id}`, actionId: step.action_id })
    backed.set(payment, step.action_id)
  }
  return faults
}

/** Every transaction that the proxies got was in the journal before. */
async function storedBeforeSent({ world, database }: Run): Promise<Fault[]> {
  const attempts = new Map(
    (await database.knex<FormRow>('attempts').select('hash', 'created_at')).map((row) => [row.hash, row]),
  )
  const early = (entry: SeenSend): string | null => {
    const stored = attempts.get(entry.transaction.hash)
    if (!stored) return 'was never stored'
    // Looked up while the proxy held it back; where that could not be done, by the times.
    if (typeof entry.note === 'boolean') return entry.note ? null : 'was not stored when it was sent'
    return Number(stored.created_at) <= entry.at ? null : 'was stored after it was sent'
  }
  return sends(world).flatMap((entry) => {
    const reason = early(entry)
    const { hash, nonce } = entry.transaction
    return reason ? [{ what: `transaction ${hash} (nonce ${nonce}) ${reason}` }] : []
  })
}

/** All forms of a nonce say the same but for their fees, or give the nonce up. */
async function unchangedPayloads({ world, database }: Run): Promise<Fault[]> {
  const cancels = new Set(
    (await database.knex<FormRow>('attempts').where({ is_cancel: 1 }).select('hash')).map((row) => row.hash),
  )
  const payloads = new Map<string, Set<string>>()
  for (const { transaction } of sends(world)) {
    const { chainId, sender, nonce, to, data, value, gas, authorizations } = transaction
    if (cancels.has(transaction.hash)) {
      if (to === sender && data === '0x' && value === 0n) continue
      return [{ what: `cancel ${transaction.hash} does something` }]
    }
    const key = `${chainId}/${sender}/${nonce}`
    const payload = JSON.stringify([to, data, value.toString(), gas.toString(), authorizations])
    payloads.set(key, (payloads.get(key) ?? new Set()).add(payload))
  }
  return [...payloads].flatMap(([key, found]) =>
    found.size === 1 ? [] : [{ what: `nonce ${key} was sent with ${found.size} payloads` }],
  )
}

/** The same payload gets another nonce only after it came to nothing under the one before. */
async function signedOnce({ world, database }: Run): Promise<Fault[]> {
  const faults: Fault[] = []
  const latest = new Map<string, TransactionRow>()
  for (const row of await database.knex<TransactionRow>('transactions').orderBy('id')) {
    const payload = `${row.chain_id}:${row.to_address}:${row.data}`
    const before = latest.get(payload)
    latest.set(payload, row)
    if (!before) continue
    const nodeUrl = world.chains.find((chain) => chain.chainId === row.chain_id)!.rpcUrls[0]!
    const receipt = (await rpc(nodeUrl, 'eth_getTransactionReceipt', [before.mined_hash])) as { status: string } | null
    const cancel = await database.knex<FormRow>('attempts').where({ hash: before.mined_hash!, is_cancel: 1 }).first()
    if (receipt?.status === '0x0' || cancel) continue
    const step = await database.knex<StepRow>('steps').where({ transaction_id: row.id }).first()
    faults.push({
      what: `nonces ${before.nonce} and ${row.nonce} on ${row.chain_id} carry the same payload, and the first took effect`,
      actionId: step?.action_id,
    })
  }
  return faults
}

function sends(world: World): SeenSend[] {
  return world.proxies.flatMap((proxy) => proxy.seen)
}
