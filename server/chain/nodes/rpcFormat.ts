import { type Address, type Hash, type Hex, numberToHex } from 'viem'
import type { Account, Block, ChainTransaction, Log, Receipt } from '../chain.js'
import type { RpcAnswer, RpcCall } from './rpcNode.js'

/**
 * JSON-RPC in and out of our types. Everything a node says is checked for its form; whatever is not as it must be
 * throws, which makes the answer one of a broken node.
 */

type Json = Record<string, unknown>

export function call(method: string, ...params: unknown[]): RpcCall {
  return { method, params }
}

export function quantity(value: bigint | number): Hex {
  return numberToHex(value)
}

/** The result of an answer that is known to be no error. */
export function resultOf(answer: RpcAnswer | undefined): unknown {
  if (!answer || answer.error) throw new Error('an answer is missing')
  return answer.result
}

/** The first word of what a contract has returned, however much that is. */
export function readWord(data: unknown): bigint {
  return readBigInt(typeof data === 'string' ? data.slice(0, 66) : data)
}

/** What a token says that an address has of it. A token that says nothing, or is not there, means none. */
export function readBalance({ error, result }: RpcAnswer): bigint {
  return error || result === '0x' ? 0n : readWord(result)
}

/** What a token says of its decimals, which EIP-20 has as a `uint8`. Null: nothing, or nothing of the kind. */
export function readDecimals({ error, result }: RpcAnswer): number | null {
  if (error || typeof result !== 'string' || !/^0x[0-9a-f]{64}/i.test(result)) return null
  const decimals = readWord(result)
  return decimals > 255n ? null : Number(decimals)
}

export function readBigInt(value: unknown): bigint {
  if (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)) return BigInt(value)
  throw new Error('not a quantity')
}

export function readNumber(value: unknown): number {
  const number = Number(readBigInt(value))
  if (!Number.isSafeInteger(number)) throw new Error('a number is too large')
  return number
}

export function readHex(value: unknown): Hex {
  if (typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(value)) return value.toLowerCase() as Hex
  throw new Error('not hex data')
}

export function readBlock(value: unknown): Block {
  const block = readObject(value)
  return {
    number: readBigInt(block['number']),
    hash: readHash(block['hash']),
    parentHash: readHash(block['parentHash']),
    timestamp: readBigInt(block['timestamp']),
    baseFeePerGas: block['baseFeePerGas'] == null ? 0n : readBigInt(block['baseFeePerGas']),
    gasLimit: readBigInt(block['gasLimit']),
  }
}

/** The hashes of a block that was asked for without its transactions' contents. */
export function readTransactionHashes(value: unknown): Hash[] {
  return readArray(readObject(value)['transactions']).map(readHash)
}

export function readReceipt(value: unknown): Receipt {
  const receipt = readObject(value)
  // Before Byzantium (EIP-658) there was no status, and nobody has paid this service by then.
  const isBefore = receipt['status'] === undefined && receipt['root'] !== undefined
  const status = isBefore ? 0n : readBigInt(receipt['status'])
  if (status > 1n) throw new Error('not a status')
  return {
    hash: readHash(receipt['transactionHash']),
    blockNumber: readBigInt(receipt['blockNumber']),
    blockHash: readHash(receipt['blockHash']),
    status: status === 1n ? 'success' : 'reverted',
    from: readAddress(receipt['from']),
    to: orNull(receipt['to'], readAddress),
    gasUsed: readBigInt(receipt['gasUsed']),
    logs: readArray(receipt['logs']).map(readLog),
  }
}

function readTransaction(value: unknown): ChainTransaction {
  const transaction = readObject(value)
  return {
    hash: readHash(transaction['hash']),
    from: readAddress(transaction['from']),
    to: orNull(transaction['to'], readAddress),
    value: readBigInt(transaction['value']),
    input: readHex(transaction['input']),
    blockNumber: orNull(transaction['blockNumber'], readBigInt),
  }
}

/** The receipt that was asked for by this hash. */
export function receiptOf(value: unknown, hash: Hash): Receipt {
  const receipt = readReceipt(value)
  if (receipt.hash !== hash.toLowerCase()) throw new Error('the receipt of another transaction')
  return receipt
}

/** The transaction that was asked for by this hash. */
export function transactionOf(value: unknown, hash: Hash): ChainTransaction {
  const transaction = readTransaction(value)
  if (transaction.hash !== hash.toLowerCase()) throw new Error('another transaction')
  return transaction
}

export function readLog(value: unknown): Log {
  const log = readObject(value)
  return {
    address: readAddress(log['address']),
    topics: readArray(log['topics']).map(readHash),
    data: readHex(log['data']),
    logIndex: readNumber(log['logIndex']),
  }
}

/** An account by the results of eth_getTransactionCount, eth_getBalance and eth_getCode. */
export function readAccount([nonce, balance, code]: readonly unknown[]): Account {
  const bytes = readHex(code)
  const delegate = readDelegation(bytes)
  return {
    nonce: readNumber(nonce),
    balance: readBigInt(balance),
    delegate,
    hasForeignCode: delegate === null && bytes !== '0x',
  }
}

/** EIP-7702: an account that borrows code has 0xef0100 and the delegate's address as its own. */
const delegationPrefix = '0xef0100'

export function delegationTo(delegate: Address): Hex {
  return `${delegationPrefix}${delegate.slice(2)}`
}

function readDelegation(code: Hex): Address | null {
  if (code.length !== 48 || !code.startsWith(delegationPrefix)) return null
  return `0x${code.slice(8)}`
}

export function readHash(value: unknown): Hash {
  if (typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase() as Hash
  throw new Error('not a hash')
}

function readAddress(value: unknown): Address {
  if (typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)) return value.toLowerCase() as Address
  throw new Error('not an address')
}

export function readArray(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new Error('not a list')
}

export function readObject(value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new Error('not an object')
}

/** Nodes say null for what they do not have (yet). */
export function orNull<T>(value: unknown, read: (value: unknown) => T): T | null {
  return value === null || value === undefined ? null : read(value)
}
