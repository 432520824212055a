import type { Knex } from 'knex'
import { toHex } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'

/** Mines a block that takes no open transaction: its base fee is above what any form of them pays. */
export async function minePassingOver(url: string, knex: Knex): Promise<void> {
  const forms = (await knex('attempts')
    .join('transactions', 'transactions.id', 'attempts.transaction_id')
    .where({ 'transactions.status': 'open' })
    .select('max_fee_per_gas')) as { max_fee_per_gas: string }[]
  if (forms.length === 0) return
  const most = Math.max(...forms.map((form) => Number(form.max_fee_per_gas)))
  await rpc(url, 'anvil_setNextBlockBaseFeePerGas', [toHex(most + 1)])
  await rpc(url, 'evm_mine', [])
}

/** Of the next block, after which the others' is low for a while. */
export function lowerBaseFee(url: string): Promise<unknown> {
  return rpc(url, 'anvil_setNextBlockBaseFeePerGas', ['0x1'])
}
