import type { Address, Hash } from 'viem'
import { decodeFulfilments } from './bundles.js'
import type { ChainTransaction, Log } from './chain.js'
import { fulfilledKeys, fulfilledTopic } from './contracts.js'
import type { Rpc } from './rpc.js'
import { call, quantity, readArray, readHash, readLog, readObject, readTransaction, resultOf } from './rpcFormat.js'
import { transfersOf, vaultWithdrawals, withdrawnTopic } from './transfers.js'

/** Of one token and one vault in one block. */
type Place = { token: Address; vault: Address; block: bigint }

/** What a token logs as having left a vault. */
export type LoggedOutgoing = { transactionHash: Hash; log: Log }

/**
 * How much of what a token logs as having left a vault the vault has moved itself, in the token's smallest unit: what its
 * fulfilled steps were to pay, and what its owner has withdrawn. The rest the token took, such as a fee from whom it pays
 * that it logs as a transfer of his.
 */
export async function readPaidByVault(rpc: Rpc, place: Place, outgoing: readonly LoggedOutgoing[]): Promise<bigint> {
  const hashes = [...new Set(outgoing.map(({ transactionHash }) => transactionHash))]
  const range = { fromBlock: quantity(place.block), toBlock: quantity(place.block) }
  const words = call('eth_getLogs', { address: place.vault, ...range, topics: [[fulfilledTopic, withdrawnTopic]] })
  const sent = hashes.map((hash) => call('eth_getTransactionByHash', hash))
  return rpc.read([words, ...sent], ([said, ...transactions]) => {
    const told = readArray(resultOf(said)).map(readLogOf)
    const logsIn = (logs: readonly LoggedOutgoing[], hash: Hash) =>
      logs.flatMap(({ transactionHash, log }) => (transactionHash === hash ? log : []))
    return hashes.reduce((total, hash, index) => {
      const transaction = readTransaction(resultOf(transactions[index]))
      return total + paidIn(transaction, logsIn(outgoing, hash), logsIn(told, hash), place)
    }, 0n)
  })
}

/** A log with the transaction that it is of. */
export function readLogOf(value: unknown): LoggedOutgoing {
  return { transactionHash: readHash(readObject(value)['transactionHash']), log: readLog(value) }
}

/** Of a transaction that the vault was called by through another contract nobody knows what it was to pay; then all counts. */
function paidIn(transaction: ChainTransaction, outgoing: Log[], told: Log[], { token, vault }: Place): bigint {
  const left = sum(transfersOf({ logs: outgoing }))
  const keys = fulfilledKeys({ logs: told }, vault)
  const asked = transaction.to === vault ? decodeFulfilments(transaction.input, vault) : []
  const fulfilled = asked.filter(({ stepKey }) => keys.includes(stepKey))
  if (fulfilled.length < keys.length) return left
  const withdrawn = vaultWithdrawals({ status: 'success', logs: told }, vault)
  const moved = [...fulfilled.flatMap(({ transfers }) => transfers), ...withdrawn]
  const paid = sum(moved.filter((transfer) => transfer.token === token))
  return paid < left ? paid : left
}

function sum(transfers: readonly { amount: bigint }[]): bigint {
  return transfers.reduce((total, { amount }) => total + amount, 0n)
}
