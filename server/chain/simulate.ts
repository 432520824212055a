import type { Address, Hex } from 'viem'
import type { Log, Simulation, SimulationOptions, TransactionRequest } from './chain.js'
import { calldataFloor } from './fees.js'
import type { Rpc } from './rpc.js'
import {
  call,
  delegationTo,
  quantity,
  readArray,
  readBigInt,
  readHex,
  readLog,
  readObject,
  resultOf,
} from './rpcFormat.js'
import type { RpcAnswer, RpcCall, RpcError } from './rpcNode.js'

/** What one node or another can't do. Found out once and kept for the life of the process. */
type Abilities = {
  /** eth_simulateV1; without it there are no logs. */
  simulation: boolean
  /** An EIP-7702 designator as overriding code; without it the delegate's own code is used. */
  designators: boolean
  /** The pending block; without it the latest one is used. */
  pendingBlock: boolean
}

/**
 * Runs a transaction on the pending block without sending it. One round trip: eth_simulateV1 tells logs and revert,
 * eth_estimateGas the gas that it takes to get there.
 */
export function createSimulator(rpc: Rpc) {
  const abilities: Abilities = { simulation: true, designators: true, pendingBlock: true }
  const codes = new Map<Address, Hex>()

  return async function simulate(request: TransactionRequest, options: SimulationOptions): Promise<Simulation> {
    for (;;) {
      const assumed = { ...abilities }
      const calls = await buildCalls(request, options, assumed)
      const outcome = await rpc.read(calls, (answers) => readOutcome(request, calls, answers, assumed), {
        isAnswer: (error, { method }) =>
          method === 'eth_estimateGas' || isRevert(error) || missingAbility(error, assumed) !== null,
      })
      if (outcome.outcome !== 'unable') return outcome
      // Only an ability that was assumed can turn out to be missing, so this ends.
      abilities[outcome.ability] = false
    }
  }

  async function buildCalls(
    request: TransactionRequest,
    { overrideDelegate }: SimulationOptions,
    assumed: Abilities,
  ): Promise<RpcCall[]> {
    const { from, to, data, value } = request
    const transaction = { from, to, data, value: quantity(value) }
    const overrides = overrideDelegate
      ? { [overrideDelegate.account]: { code: await codeFor(overrideDelegate.delegate, assumed) } }
      : undefined
    const tag = assumed.pendingBlock ? 'pending' : 'latest'
    const plain = [transaction, tag, ...(overrides ? [overrides] : [])]
    const block = { ...(overrides && { stateOverrides: overrides }), calls: [transaction] }
    const run = assumed.simulation
      ? call('eth_simulateV1', { blockStateCalls: [block], traceTransfers: true, validation: false }, tag)
      : call('eth_call', ...plain)
    return [run, call('eth_estimateGas', ...plain)]
  }

  async function codeFor(delegate: Address, assumed: Abilities): Promise<Hex> {
    if (assumed.designators) return delegationTo(delegate)
    const known = codes.get(delegate)
    if (known) return known
    const code = await rpc.read([call('eth_getCode', delegate, 'latest')], ([answer]) => readHex(resultOf(answer)))
    codes.set(delegate, code)
    return code
  }
}

type Outcome = Simulation | { outcome: 'unable'; ability: keyof Abilities }

function readOutcome(
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
  const simulated = run?.method === 'eth_simulateV1' ? readSimulation(resultOf(ran)) : null
  if (simulated?.outcome === 'reverted') return simulated
  if (estimated?.error && isRevert(estimated.error)) return revertOf(estimated.error)
  const gas = readGas(estimated, simulated?.gasUsed ?? null)
  const floor = calldataFloor(request.data)
  return { outcome: 'success', gas: gas > floor ? gas : floor, logs: simulated?.logs ?? null }
}

/**
 * The node's estimate, and never less than what the simulation used with all the gas it wanted: an estimate is the least
 * with which the transaction itself succeeds, and a contract that goes on when what it calls has failed does so with too
 * little for what was signed. A node may not estimate with overrides; what the simulation used is after refunds, which are
 * a fifth of what was consumed at most (EIP-3529).
 */
function readGas(estimated: RpcAnswer | undefined, gasUsed: bigint | null): bigint {
  if (!estimated?.error) {
    const estimate = readBigInt(resultOf(estimated))
    return gasUsed !== null && gasUsed > estimate ? gasUsed : estimate
  }
  if (gasUsed === null) throw new Error(estimated.error.message)
  return (gasUsed * 5n + 3n) / 4n
}

type Reverted = Extract<Simulation, { outcome: 'reverted' }>

function readSimulation(result: unknown): { outcome: 'success'; logs: Log[]; gasUsed: bigint } | Reverted {
  const block = readObject(readArray(result)[0])
  const simulated = readObject(readArray(block['calls'])[0])
  if (readBigInt(simulated['status']) === 1n) {
    const logs = readArray(simulated['logs'] ?? []).map(readLog)
    return { outcome: 'success', logs, gasUsed: readBigInt(simulated['gasUsed']) }
  }
  // geth gives a revert's data with the error, anvil as what the call returned.
  const error = readObject(simulated['error'] ?? {})
  const data = hexIn(error['data']) ?? hexIn(simulated['returnData']) ?? '0x'
  return { outcome: 'reverted', data, text: String(error['message'] ?? 'execution failed') }
}

function revertOf(error: RpcError): Reverted {
  return { outcome: 'reverted', data: hexIn(error.data) ?? '0x', text: error.message }
}

/** The EVM's verdict rather than a fault of the node. Code 3 is geth's for a revert, -32015 that of several for any. */
function isRevert({ code, message, data }: RpcError): boolean {
  return (
    code === 3 ||
    code === -32015 ||
    /revert|out of gas|gas required exceeds|always failing transaction|vm execution error|stack (?:under|over)flow/i.test(
      message,
    ) ||
    /invalid opcode|invalid jump|opcode .* not defined|execution failed|write protection/i.test(message) ||
    (typeof data === 'string' && /^Reverted 0x/.test(data))
  )
}

/** Which of the assumed abilities an error denies. */
function missingAbility({ code, message }: RpcError, assumed: Abilities): keyof Abilities | null {
  const denials: Record<keyof Abilities, boolean> = {
    simulation:
      code === -32601 || /method .*(?:not found|not supported|not available|does not exist|not enabled)/i.test(message),
    pendingBlock: /pending (?:block|state)?\s*(?:is )?(?:not (?:available|found|supported)|unavailable)/i.test(message),
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
