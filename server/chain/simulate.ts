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
}

/**
 * Runs a transaction on the pending block without sending it. One round trip: eth_simulateV1 tells logs and revert,
 * eth_estimateGas the gas (a simulation's gas used is after refunds, so no limit can be made of it).
 */
export function createSimulator(rpc: Rpc) {
  const abilities: Abilities = { simulation: true, designators: true }
  const codes = new Map<Address, Hex>()

  return async function simulate(request: TransactionRequest, options: SimulationOptions): Promise<Simulation> {
    for (;;) {
      const calls = await buildCalls(request, options)
      const outcome = await rpc.read(calls, (answers) => readOutcome(request, calls, answers), { isAnswer })
      if (outcome.outcome !== 'unable') return outcome
      // Each ability is lost at most once, so this ends.
      abilities[outcome.ability] = false
    }
  }

  async function buildCalls(request: TransactionRequest, { overrideDelegate }: SimulationOptions): Promise<RpcCall[]> {
    const { from, to, data, value } = request
    const transaction = { from, to, data, value: quantity(value) }
    const overrides = overrideDelegate
      ? { [overrideDelegate.account]: { code: await codeFor(overrideDelegate.delegate) } }
      : undefined
    const block = { ...(overrides && { stateOverrides: overrides }), calls: [transaction] }
    const run = abilities.simulation
      ? call('eth_simulateV1', { blockStateCalls: [block], traceTransfers: true, validation: false }, 'pending')
      : call('eth_call', transaction, 'pending', ...(overrides ? [overrides] : []))
    return [run, call('eth_estimateGas', transaction, 'pending', ...(overrides ? [overrides] : []))]
  }

  async function codeFor(delegate: Address): Promise<Hex> {
    if (abilities.designators) return delegationTo(delegate)
    const known = codes.get(delegate)
    if (known) return known
    const code = await rpc.read([call('eth_getCode', delegate, 'latest')], ([answer]) => readHex(resultOf(answer)))
    codes.set(delegate, code)
    return code
  }
}

type Outcome = Simulation | { outcome: 'unable'; ability: keyof Abilities }

function isAnswer(error: RpcError): boolean {
  return isRevert(error) || missingAbility(error) !== null
}

function readOutcome(request: TransactionRequest, [run]: RpcCall[], [ran, estimated]: RpcAnswer[]): Outcome {
  for (const answer of [ran, estimated]) {
    const ability = answer?.error && missingAbility(answer.error)
    if (ability) return { outcome: 'unable', ability }
  }
  if (ran?.error) return revertOf(ran.error)
  const simulated = run?.method === 'eth_simulateV1' ? readSimulation(resultOf(ran)) : null
  if (simulated?.outcome === 'reverted') return simulated
  if (estimated?.error) return revertOf(estimated.error)
  const estimate = readBigInt(resultOf(estimated))
  const floor = calldataFloor(request.data)
  return { outcome: 'success', gas: estimate > floor ? estimate : floor, logs: simulated?.logs ?? null }
}

function readSimulation(
  result: unknown,
): { outcome: 'success'; logs: Log[] } | Extract<Simulation, { outcome: 'reverted' }> {
  const block = readObject(readArray(result)[0])
  const simulated = readObject(readArray(block['calls'])[0])
  if (readBigInt(simulated['status']) === 1n) {
    return { outcome: 'success', logs: readArray(simulated['logs'] ?? []).map(readLog) }
  }
  // geth gives a revert's data with the error, anvil as what the call returned.
  const error = readObject(simulated['error'] ?? {})
  const data = hexIn(error['data']) ?? hexIn(simulated['returnData']) ?? '0x'
  return { outcome: 'reverted', data, text: String(error['message'] ?? 'execution failed') }
}

function revertOf(error: RpcError): Extract<Simulation, { outcome: 'reverted' }> {
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

/** Which ability of the node an error denies. */
function missingAbility({ code, message }: RpcError): keyof Abilities | null {
  if (
    code === -32601 ||
    /method .*(?:not found|not supported|not available|does not exist|not enabled)/i.test(message)
  ) {
    return 'simulation'
  }
  return /invalid bytecode|bytecode.*(?:7702|invalid)|override.*(?:code|bytecode)/i.test(message) ? 'designators' : null
}

/** Revert data as nodes give it: hex, "Reverted 0x…" (parity), or inside an object. */
function hexIn(value: unknown): Hex | null {
  if (typeof value === 'object' && value !== null) return hexIn((value as { data?: unknown }).data)
  const hex = typeof value === 'string' ? /0x(?:[0-9a-f]{2})*$/i.exec(value)?.[0] : undefined
  return hex ? (hex.toLowerCase() as Hex) : null
}
