import type { Address, Hash, Hex, PublicClient } from 'viem'
import { create2Factory } from '../../server/devnet/deployContracts.js'
import type { ChainPlan, PlannedStep } from './planChain.js'

/** A pending transaction, as nodes tell it. */
type Pending = { hash: Hash; from: Address; nonce: Hex; to: Address | null; input: Hex; value: Hex }

/** The nonces of a plan that something pending has already; `pending` is the next one behind all that is. */
export function takenNonces({ nonce, steps }: ChainPlan, pending: number): number[] {
  const signed = steps.filter(({ by, raw }) => by === 'deployer' && raw === undefined)
  return signed.map((_step, index) => nonce + index).filter((taken) => taken < pending)
}

/**
 * Why what is pending of the deployer at these nonces is not replaced by a plan: it deploys nothing, as an owner's call
 * that pauses the vault, or nobody knows what it is. Null: it may be replaced.
 */
export async function whyKept(
  { chain: { chainId }, steps }: ChainPlan,
  reader: PublicClient,
  deployer: Address,
  nonces: readonly number[],
): Promise<string | null> {
  if (nonces.length === 0) return null
  const all = await pendingOf(reader, deployer)
  const advice = 'Wait until it is mined, or add --replace-pending, by which it is lost'
  for (const nonce of nonces) {
    const there = all.filter((pending) => Number(pending.nonce) === nonce)
    if (there.length === 0) {
      return `Chain ${chainId}: no node tells what is pending of ${deployer} at nonce ${nonce}. ${advice}, whatever it is.`
    }
    const other = there.find((pending) => !isOfDeployment(pending, steps))
    if (other) {
      return (
        `Chain ${chainId}: ${other.hash}, to ${other.to}, is pending of ${deployer} at nonce ${nonce}, and is nothing ` +
        `that this run has to send. ${advice}.`
      )
    }
  }
  return null
}

/**
 * By its pool, which few nodes show to everybody, and by the block that the node would make of it,
 * which lacks what pays too little.
 */
async function pendingOf(reader: PublicClient, address: Address): Promise<Pending[]> {
  const ask = reader.request as (call: { method: string; params: unknown[] }) => Promise<unknown>
  const [pool, block] = (await Promise.all([
    ask({ method: 'txpool_contentFrom', params: [address] }).catch(() => null),
    ask({ method: 'eth_getBlockByNumber', params: ['pending', true] }).catch(() => null),
  ])) as [{ pending?: Record<string, Pending> } | null, { transactions?: Pending[] } | null]
  const all = [...Object.values(pool?.pending ?? {}), ...(block?.transactions ?? [])]
  return all.filter(({ from }) => from.toLowerCase() === address)
}

function isOfDeployment({ to, input, value }: Pending, steps: readonly PlannedStep[]): boolean {
  const recipient = to?.toLowerCase()
  if (recipient === create2Factory) return true
  return steps.some((step) => recipient === step.to && input === step.data && BigInt(value) === step.value)
}
