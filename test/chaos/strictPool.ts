import { type Address, type Hash, type Hex, keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import { writeAmounts } from '../../server/domain/amountsJson.js'
import { rpc } from '../../server/devnet/anvil.js'

/** A raw transaction, read. */
export type ReadTransaction = {
  hash: Hash
  raw: Hex
  chainId: number
  sender: Address
  nonce: number
  to: Address | null
  data: Hex
  value: bigint
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  /** As JSON, to compare. */
  authorizations: string
}

export async function readTransaction(raw: Hex): Promise<ReadTransaction> {
  const parsed = parseTransaction(raw)
  const sender = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
  return {
    hash: keccak256(raw),
    raw,
    chainId: parsed.chainId ?? 0,
    sender: sender.toLowerCase() as Address,
    nonce: parsed.nonce ?? 0,
    to: (parsed.to?.toLowerCase() as Address | undefined) ?? null,
    data: parsed.data ?? '0x',
    value: parsed.value ?? 0n,
    gas: parsed.gas ?? 0n,
    maxFeePerGas: parsed.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: parsed.maxPriorityFeePerGas ?? 0n,
    authorizations: writeAmounts(parsed.authorizationList ?? []),
  }
}

/**
 * The rules of a node's pool that anvil does not have. It stands before anvil's own pool and holds what was handed on
 * until the chain has gone beyond its nonce.
 */
export function createStrictPool(nodeUrl: string) {
  const held = new Map<Address, Map<number, ReadTransaction>>()
  let turn: Promise<unknown> = Promise.resolve()

  return {
    /** The error that a strict node would give, or null after `forward` has handed the transaction on. */
    admit<T>(transaction: ReadTransaction, forward: () => Promise<T>): Promise<{ refusal: string } | { answer: T }> {
      // One after the other, as a pool takes them; otherwise two could both be the only one in flight.
      const done = turn.then(async () => {
        const refusal = await refusalOf(transaction)
        if (refusal) return { refusal }
        const answer = await forward()
        if (!(answer as { error?: unknown }).error) hold(transaction)
        return { answer }
      })
      turn = done.catch(() => undefined)
      return done
    },
  }

  async function refusalOf(transaction: ReadTransaction): Promise<string | null> {
    const { sender, nonce } = transaction
    const next = Number(await rpc(nodeUrl, 'eth_getTransactionCount', [sender, 'latest']))
    const own = held.get(sender) ?? new Map<number, ReadTransaction>()
    for (const taken of own.keys()) if (taken < next) own.delete(taken)
    if (nonce < next) return `nonce too low: next nonce ${next}, tx nonce ${nonce}`
    const there = own.get(nonce)
    if (there?.hash === transaction.hash) return 'already known'
    if (there) {
      const enough = (offered: bigint, had: bigint) => offered * 100n >= had * 110n
      const pays =
        enough(transaction.maxFeePerGas, there.maxFeePerGas) &&
        enough(transaction.maxPriorityFeePerGas, there.maxPriorityFeePerGas)
      return pays ? null : 'replacement transaction underpriced'
    }
    const code = String(await rpc(nodeUrl, 'eth_getCode', [sender, 'latest']))
    if (!code.startsWith('0xef0100')) return null
    if (nonce > next) return 'gapped-nonce tx from delegated accounts'
    return own.size > 0 ? 'in-flight transaction limit reached for delegated accounts' : null
  }

  function hold(transaction: ReadTransaction): void {
    const own = held.get(transaction.sender) ?? new Map<number, ReadTransaction>()
    own.set(transaction.nonce, transaction)
    held.set(transaction.sender, own)
  }
}
