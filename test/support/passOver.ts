import type { Knex } from 'knex'
import { toHex } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'

type Form = { max_fee_per_gas: string; signed_at: number; sent_at: number | null }

/** Less than after which what was sent is due again. */
const freshMs = 1_500

/**
 * Mines, each time it is called, a block that takes no open transaction, if there is a form that no such block has
 * passed over yet: its base fee is above what any of them pays. Only just after they were sent, when none is signed for
 * a while: a form that comes between the look and the block would be taken by it.
 */
export function blocksPassingOver(url: string, knex: Knex): () => Promise<void> {
  let passedOver = 0
  return async () => {
    const forms = (await knex('attempts')
      .join('transactions', 'transactions.id', 'attempts.transaction_id')
      .where({ 'transactions.status': 'open' })
      .select('max_fee_per_gas', 'signed_at', 'sent_at')) as Form[]
    const isFresh = ({ signed_at, sent_at }: Form) =>
      sent_at !== null && sent_at >= signed_at && Date.now() - sent_at < freshMs
    if (forms.length === passedOver || !forms.every(isFresh)) return
    const most = Math.max(...forms.map((form) => Number(form.max_fee_per_gas)))
    await rpc(url, 'anvil_setNextBlockBaseFeePerGas', [toHex(most + 1)])
    await rpc(url, 'evm_mine', [])
    passedOver = forms.length
  }
}

/** Of the next block, after which the others' is low for a while. */
export function lowerBaseFee(url: string): Promise<unknown> {
  return rpc(url, 'anvil_setNextBlockBaseFeePerGas', ['0x1'])
}
