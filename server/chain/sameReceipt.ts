import type { Receipt } from './chain.js'

/**
 * Whether two nodes tell the same of a transaction, in what counts of it: where it is, and what it did. Their logs are held
 * against each other by their place in the receipt; some nodes count them from 0 in each transaction, others through the block.
 */
export function isSameReceipt(a: Receipt, b: Receipt): boolean {
  return tell(a) === tell(b)
}

function tell({ blockHash, status, logs }: Receipt): string {
  return JSON.stringify([blockHash, status, logs.map(({ address, topics, data }) => [address, topics, data])])
}
