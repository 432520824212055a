import type { Hex } from 'viem'
import type { Log, Simulation, TransactionRequest } from '../chain.js'
import { calldataFloor } from '../gas.js'
import { isRevert } from '../nodes/isRevert.js'
import { saysNoPendingBlock } from '../nodes/noPendingBlock.js'
import { saysNoSuchMethod } from '../nodes/noSuchMethod.js'
import { readArray, readBigInt, readLog, readObject, resultOf } from '../nodes/rpcFormat.js'
import type { RpcAnswer, RpcCall, RpcError } from '../nodes/rpcNode.js'

/** What nodes are taken to be able to; see `createAbility`. */
export type Abilities = {
  /** eth_simulateV1; without it there are no logs. */
  simulation: boolean
  /** An EIP-7702 designator as overriding code; without it the delegate's own code is used. */
  designators: boolean
  /** The pending block; without it the latest one is used. */
  pendingBlock: boolean
}

type Outcome = (Simulation & { used?: bigint }) | { outcome: 'unable'; ability: keyof Abilities }

export function readOutcome(
  request: TransactionRequest,
  [run]: RpcCall[],
  [ran, estimated]: RpcAnswer[],
  assumed: Abilities,
): Outcome {
  for (const answer of [ran, estimated]) {
    const ability = answer?.error && missingAbility(answer.error, assumed)
    if (ability) return { outcome: 'unable', ability }
  }
  if (ran?.error) return revertOf(ran.error)
  if (run?.method === 'eth_simulateV1') {
    const simulated = readSimulations(resultOf(ran))[0]!
    return simulated.outcome === 'reverted' ? simulated : succeeded(request, estimated, simulated)
  }
  if (estimated?.error && isRevert(estimated.error)) return revertOf(estimated.error)
  return succeeded(request, estimated, null)
}

function succeeded(request: TransactionRequest, estimated: RpcAnswer | undefined, simulated: Ran | null): Outcome {
  const gas = notBelowFloor(request, readGas(estimated, simulated?.gasUsed ?? null))
  const used = simulated ? { used: simulated.gasUsed } : {}
  return { outcome: 'success', gas, logs: simulated?.logs ?? null, ...used }
}

/**
 * The node's estimate, and never less than what the simulation used with all the gas it wanted: an estimate is
 * the least with which the transaction itself succeeds, and a contract that goes on when what it calls has
 * failed does so with too little for what was signed. What was used is after refunds, which the limit's margin
 * is for (see `gasLimit`). A node may not estimate with overrides; then refunds are added here as well, since
 * nothing else tells what is needed.
 */
function readGas(estimated: RpcAnswer | undefined, gasUsed: bigint | null): bigint {
  if (estimated && !estimated.error) {
    const estimate = readBigInt(resultOf(estimated))
    return gasUsed !== null && gasUsed > estimate ? gasUsed : estimate
  }
  if (gasUsed === null) throw new Error(estimated?.error?.message ?? 'there is no estimate')
  return (gasUsed * 5n + 3n) / 4n
}

type Reverted = Extract<Simulation, { outcome: 'reverted' }>

export type Ran = { outcome: 'success'; logs: Log[]; gasUsed: bigint }

/** What a node says of each transaction of a simulated block, in order. */
export function readSimulations(result: unknown): (Ran | Reverted)[] {
  const block = readObject(readArray(result)[0])
  return readArray(block['calls']).map((entry) => {
    const simulated = readObject(entry)
    if (readBigInt(simulated['status']) === 1n) {
      const logs = readArray(simulated['logs'] ?? []).map(readLog)
      return { outcome: 'success', logs, gasUsed: readBigInt(simulated['gasUsed']) }
    }
    // geth gives a revert's data with the error, anvil as what the call returned.
    const error = readObject(simulated['error'] ?? {})
    const data = hexIn(error['data']) ?? hexIn(simulated['returnData']) ?? '0x'
    return { outcome: 'reverted', data }
  })
}

export function revertOf(error: RpcError): Reverted {
  return { outcome: 'reverted', data: hexIn(error.data) ?? '0x' }
}

/**
 * Which of the assumed abilities an error denies. A revert denies none: it may hold the reason that a contract gives,
 * and that must not be read as what the node says of itself.
 */
export function missingAbility(error: RpcError, assumed: Abilities): keyof Abilities | null {
  if (isRevert(error)) return null
  const { message } = error
  const denials: Record<keyof Abilities, boolean> = {
    simulation: saysNoSuchMethod(error),
    pendingBlock: saysNoPendingBlock(error),
    designators: /invalid bytecode|bytecode.*(?:7702|invalid)|override.*(?:code|bytecode)/i.test(message),
  }
  const denied = (['simulation', 'pendingBlock', 'designators'] as const).find((ability) => denials[ability])
  return denied && assumed[denied] ? denied : null
}

/** Revert data as nodes give it: hex, "Reverted 0x…" (parity), or inside an object. */
function hexIn(value: unknown): Hex | null {
  if (typeof value === 'object' && value !== null) return hexIn((value as { data?: unknown }).data)
  const hex = typeof value === 'string' ? /0x(?:[0-9a-f]{2})*$/i.exec(value)?.[0] : undefined
  return hex ? (hex.toLowerCase() as Hex) : null
}

/** The gas, or what nodes ask for at the least by the transaction's data, if that is more. */
export function notBelowFloor({ data }: TransactionRequest, gas: bigint): bigint {
  const floor = calldataFloor(data)
  return gas > floor ? gas : floor
}
