import type { Address } from 'viem'
import type { StepRef } from '../../domain/action.js'
import type { SolverNeed } from '../../domain/solverNeeds.js'
import type { Transaction } from '../connection/database.js'
import { stepKeyColumns } from '../rows.js'

/** Open funding: test deployments may let the solver pay without credit, up to a cap per user, token and (UTC) day. */

type FundingRow = { user: Address; chain_id: number; token: Address; day: number; amount: string }
type GrantRow = FundingRow & { transfer_index: number; status: 'reserved' | 'spent' }

const dayMs = 24 * 60 * 60 * 1000

/** Takes a transfer out of the day's open funding. `exceeded`: that is too little; `left`: how much of it is left. */
export async function takeOpenFunding(
  trx: Transaction,
  grant: { ref: StepRef; user: Address; transferIndex: number; need: SolverNeed },
  now: number,
): Promise<{ outcome: 'granted' } | { outcome: 'exceeded'; left: bigint }> {
  const { need } = grant
  const key = { user: grant.user, chain_id: need.chainId, token: need.token, day: Math.floor(now / dayMs) }
  const locked = () => trx.lock(trx<FundingRow>('open_funding').where(key)).first()
  let row = await locked()
  if (!row) {
    // Others may insert it at the same moment. Only after a look, for the reason given in `addEmpty` (balances.ts).
    const columns = ['user', 'chain_id', 'token', 'day']
    await trx('open_funding')
      .insert({ ...key, amount: '0' })
      .onConflict(columns)
      .ignore()
    row = await locked()
  }
  const used = BigInt(row!.amount)
  const cap = need.openCapPerDay ?? 0n
  if (used + need.amount > cap) return { outcome: 'exceeded', left: cap > used ? cap - used : 0n }
  const amount = (used + need.amount).toString()
  await trx('open_funding').where(key).update({ amount })
  await trx('open_grants').insert({
    ...stepKeyColumns(grant.ref),
    transfer_index: grant.transferIndex,
    ...key,
    amount: need.amount.toString(),
    status: 'reserved',
  })
  return { outcome: 'granted' }
}

export async function hasOpenGrant(trx: Transaction, ref: StepRef): Promise<boolean> {
  return (await trx('open_grants').where(stepKeyColumns(ref)).first('day')) !== undefined
}

/** Gives back the open funding that a failed step had taken. */
export async function returnOpenFunding(trx: Transaction, ref: StepRef): Promise<void> {
  const reserved = { ...stepKeyColumns(ref), status: 'reserved' }
  for (const grant of await trx<GrantRow>('open_grants').where(reserved)) {
    const key = { user: grant.user, chain_id: grant.chain_id, token: grant.token, day: grant.day }
    const row = await trx.lock(trx<FundingRow>('open_funding').where(key)).first()
    const amount = (BigInt(row!.amount) - BigInt(grant.amount)).toString()
    await trx('open_funding').where(key).update({ amount })
  }
  await trx('open_grants').where(reserved).delete()
}

/** Marks the open funding that a successful step had taken as spent. */
export async function spendOpenFunding(trx: Transaction, ref: StepRef): Promise<void> {
  await trx('open_grants').where(stepKeyColumns(ref)).update({ status: 'spent' })
}
