import type { Service } from '../../server/compose.js'

export type JournalForm = { nonce: number; tip: bigint; maxFee: bigint; isCancel: boolean }

/** All forms of a service's transactions in the order of their nonces, each nonce's in that of their signing. */
export async function formsOf({ database }: Pick<Service, 'database'>): Promise<JournalForm[]> {
  const rows = (await database
    .knex('attempts')
    .join('transactions', 'transactions.id', 'attempts.transaction_id')
    .orderBy(['nonce', 'attempts.created_at'])
    .select('nonce', 'max_priority_fee_per_gas', 'max_fee_per_gas', 'is_cancel')) as {
    nonce: number
    max_priority_fee_per_gas: string
    max_fee_per_gas: string
    is_cancel: number
  }[]
  return rows.map(({ nonce, max_priority_fee_per_gas: tip, max_fee_per_gas: maxFee, is_cancel }) => ({
    nonce,
    tip: BigInt(tip),
    maxFee: BigInt(maxFee),
    isCancel: Boolean(is_cancel),
  }))
}
