import type { Address, Hash } from 'viem'
import { least, sum } from '../domain/bigints.js'
import { chunk } from '../lists/chunk.js'
import { decodeFulfilments } from './bundles.js'
import type { ChainTransaction, Receipt } from './chain.js'
import { fulfilledKeys } from './contracts.js'
import type { Rpc } from './nodes/rpc.js'
import { call, receiptOf, resultOf, transactionOf } from './nodes/rpcFormat.js'
import { transfersOf, vaultWithdrawals } from './transfers.js'

/** One token and one vault in one block. */
type Place = { token: Address; vault: Address; block: bigint }

/** How many transactions are asked for together at most, each with its receipt. */
export const mostTogether = 40

/**
 * How much of what a token logs as having left a vault in these transactions the vault has moved itself, in the token's
 * smallest unit: what its fulfilled steps were to pay, and what its owner has withdrawn. The rest the token took, such
 * as a fee that it logs as a transfer of whom it takes it from.
 */
export async function readPaidByVault(rpc: Rpc, place: Place, hashes: readonly Hash[]): Promise<bigint> {
  const paid = await Promise.all(chunk(hashes, mostTogether).map((part) => readPaid(rpc, place, part)))
  return sum(paid)
}

async function readPaid(rpc: Rpc, place: Place, hashes: readonly Hash[]): Promise<bigint> {
  const paid = await readWithReceipts(rpc, hashes, (transaction, receipt) => {
    if (receipt.blockNumber !== place.block) throw new Error('a transaction of another block')
    return paidIn(transaction, receipt, place)
  })
  return sum(paid)
}

/** What `read` makes of each transaction and its receipt; where it throws, the next node is asked. */
export function readWithReceipts<Found>(
  rpc: Rpc,
  hashes: readonly Hash[],
  read: (transaction: ChainTransaction, receipt: Receipt) => Found,
): Promise<Found[]> {
  const calls = hashes.flatMap((hash) => [
    call('eth_getTransactionByHash', hash),
    call('eth_getTransactionReceipt', hash),
  ])
  return rpc.read(calls, (answers) =>
    hashes.map((hash, index) => {
      const transaction = transactionOf(resultOf(answers[2 * index]), hash)
      return read(transaction, receiptOf(resultOf(answers[2 * index + 1]), hash))
    }),
  )
}

/**
 * What the vault has moved itself in one transaction. Where it was called through another contract nobody knows what it
 * was to pay; then all that has left it counts.
 */
function paidIn(transaction: ChainTransaction, receipt: Receipt, { token, vault }: Place): bigint {
  const ofToken = receipt.logs.filter(({ address }) => address === token)
  const left = amountOf(transfersOf({ logs: ofToken }).filter(({ from }) => from === vault))
  const { transfers, isAll } = fulfilledIn(transaction, receipt, vault)
  if (!isAll) return left
  const moved = [...transfers, ...vaultWithdrawals(receipt, vault)]
  const paid = amountOf(moved.filter((transfer) => transfer.token === token))
  return least(paid, left)
}

/**
 * What a transaction has asked a vault to pay for the steps that the vault says it has fulfilled, and the keys of all
 * these. Not `isAll`: the vault says so of other steps too, which it was asked for through another contract.
 */
export function fulfilledIn(transaction: ChainTransaction, receipt: Receipt, vault: Address) {
  const keys = fulfilledKeys(receipt, vault)
  const asked = transaction.to === vault ? decodeFulfilments(transaction.input, vault) : []
  const fulfilled = asked.filter(({ stepKey }) => keys.includes(stepKey))
  const transfers = fulfilled.flatMap((fulfilment) => fulfilment.transfers)
  return { transfers, keys, isAll: fulfilled.length === keys.length }
}

function amountOf(transfers: readonly { amount: bigint }[]): bigint {
  return sum(transfers.map(({ amount }) => amount))
}
