import { getAddress } from 'viem'
import { sum } from './bigints.js'
import { type Call, type ChainBatch, nativeToken, type TokenTransfer } from './action.js'

/** What a user's own transaction has to do in itself for a batch. What else it is to bring about, its logs tell. */
type OwnPart = {
  /** Those that it has to be, to the byte. */
  calls: Call[]
  /** Transfers of the native currency, which have to fit into its value together. */
  native: (TokenTransfer & { index: number })[]
  /** What these come to, in wei. */
  owed: bigint
}

export function ownPartOf({ tokenTransfers, calls }: Pick<ChainBatch, 'tokenTransfers' | 'calls'>): OwnPart {
  // A batch without transfers asks for its call, however little that does.
  const isBare = tokenTransfers.length === 0
  const native = tokenTransfers
    .map((transfer, index) => ({ ...transfer, index }))
    .filter(({ token, from, amount }) => token === nativeToken && from !== 'solver' && amount > 0n)
  return {
    calls: calls.filter(({ value, data }) => isBare || value > 0n || data !== '0x'),
    native,
    owed: sum(native.map(({ amount }) => amount)),
  }
}

/**
 * Why no transaction can do what an on-demand batch asks of its user: it has one recipient and one value. Null: one
 * can. `at`: the place in the batch.
 */
export function oneTransactionFault(batch: ChainBatch): { at: string; rule: string } | null {
  const { calls, native, owed } = ownPartOf(batch)
  const [call] = calls
  const recipient = call?.to ?? native[0]?.to
  const other = native.find(({ to }) => to !== recipient)
  if (other) {
    const whose = call ? 'the call’s' : 'that of the other transfer of the native currency'
    const rule = `must be ${whose}, ${getAddress(recipient!)}: one transaction pays the native currency to one recipient`
    return { at: `tokenTransfers/${other.index}/to`, rule }
  }
  if (!call || call.value >= owed) return null
  return { at: 'call/value', rule: `must be at least ${owed}, which the transfers of the native currency come to` }
}
