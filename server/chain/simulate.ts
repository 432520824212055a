import type { Address, Hex } from 'viem'
import type { Log, Simulation, SimulationOptions, TransactionRequest } from './chain.js'
import { grouped } from '../domain/grouped.js'
import { thoseThatFit } from '../domain/thoseThatFit.js'
import { calldataFloor } from './fees.js'
import { createGasHints, isExplained, isTight } from './gasHints.js'
import { createPace } from './pace.js'
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
 * How many transactions one simulation runs; a block's gas is enough for most of them. As many as a bundle has steps by
 * default: what is simulated together is ready together, and the bundles come out full and of one size, which packs blocks.
 * With each by itself they travel in one request.
 */
const mostTogether = 20

/**
 * How many such simulations are under way at once. One after the other, a node that takes 100 ms to answer would hold the
 * chain down to ten of them a second; their answers are large, and more of them take more memory than they bring.
 */
const sideBySide = 2

/** How many digits of data they have together, so that nodes take the request; the others are simulated by themselves. */
const longestTogether = 524_288

/** Room alone lifts nothing over EIP-7825's limit of 16,777,216, authorizations included. */
const mostWithRoom = 16_000_000n

/**
 * Runs a transaction on the pending block without sending it. By itself, by one round trip: eth_simulateV1 tells logs and
 * revert, eth_estimateGas the gas that it takes to get there. Where the first has the say, the second goes by the latest
 * block, since some nodes build the pending one anew for each question.
 * Those that may be run in company share the pending block. By one round trip they are run with the gas that was enough
 * for the last of their form, and with all that they want, together and each by itself; those for which it was too little
 * or far too much are run again with little more than they used. An estimate, for which a node runs the same a dozen
 * times, is made only of those for which that fails too, and of the first of a form in a while.
 */
export function createSimulator(rpc: Rpc) {
  const abilities: Abilities = { simulation: true, designators: true, pendingBlock: true }
  const codes = new Map<Address, Hex>()
  const hints = createGasHints()
  // An estimate may take a node a second; many such at once would none of them come back in time.
  const inTurn = createPace({
    refuse: () => rpc.unavailable('eth_simulateV1', 'too many simulations are under way'),
    now: () => performance.now(),
  })
  const inCompany = grouped(simulateTogether, mostTogether, { sideBySide })

  return async function simulate(request: TransactionRequest, options: SimulationOptions): Promise<Simulation> {
    const asked = { request, options }
    const found = options.inCompany && abilities.simulation ? await inCompany(asked) : null
    if (found) return found
    const { used, ...simulated } = await inTurn(() => simulateByItself(asked))
    // Where an estimate holds more than the transaction uses, as the price of its data on some chains, no use says it.
    if (simulated.outcome === 'success' && used && isExplained(simulated.gas, used)) {
      hints.note(request.data, withRoom(simulated.gas))
    }
    return simulated
  }

  /** `used`: what it did, if the node can tell. */
  async function simulateByItself(asked: Asked): Promise<Simulation & { used?: bigint }> {
    for (;;) {
      const assumed = { ...abilities }
      const run = await prepare(asked, assumed)
      const tag = assumed.pendingBlock ? 'pending' : 'latest'
      const calls = assumed.simulation
        ? [simulationOf([run], tag), plainCall('eth_estimateGas', run, 'latest')]
        : [plainCall('eth_call', run, tag), plainCall('eth_estimateGas', run, tag)]
      const outcome = await rpc.read(calls, (answers) => readOutcome(asked.request, calls, answers, assumed), {
        isAnswer: (error, { method }) =>
          method === 'eth_estimateGas' || isRevert(error) || missingAbility(error, assumed) !== null,
      })
      if (outcome.outcome !== 'unable') return outcome
      // Only an ability that was assumed can turn out to be missing, so this ends.
      abilities[outcome.ability] = false
    }
  }

  /** Null, at its place: to be simulated by itself, as everything that has failed is. Never throws. */
  async function simulateTogether(asked: Asked[]): Promise<(Simulation | null)[]> {
    const borrowers = asked.flatMap(({ options }) => options.overrideDelegate?.account ?? [])
    if (new Set(borrowers).size < borrowers.length) return asked.map(() => null)
    const found = new Map<Asked, Simulation>()
    try {
      // Of others it is not known whether what they use says what they need.
      const fitting = thoseThatFit(asked, ({ request }) => request.data.length, longestTogether)
      const known = fitting.flatMap((one): Allotted[] => {
        const gas = hints.get(one.request.data)
        return gas === null ? [] : [{ one, gas }]
      })
      const [ran, uses] = await Promise.all([runTogether(known), useFreely(known.map(({ one }) => one))])
      const again: Allotted[] = []
      for (const [index, { one }] of known.entries()) {
        const [its, used] = [ran.get(one), uses[index]]
        // What fails by itself may succeed for what the others leave.
        if (!used) continue
        // With less than it uses when it has all it wants, it may go on without what has failed for want of gas.
        if (its && its.gas >= used && isTight(its.gas, used)) found.set(one, its)
        else again.push({ one, gas: withRoom(used) })
      }
      for (const [one, its] of await runTogether(again)) {
        found.set(one, its)
        hints.adjust(one.request.data, its.gas)
      }
    } catch {
      // Each is told by itself why.
    }
    return asked.map((one) => found.get(one) ?? null)
  }

  /**
   * Runs them one after the other on the pending block; answers those that succeed with so much, or with all that they
   * want, and then how much that is.
   */
  async function runTogether(allotted: readonly Allotted[]): Promise<Map<Asked, Ran & { gas: bigint }>> {
    if (allotted.length === 0) return new Map()
    const floored = allotted.map(({ one, gas }) => ({ one, gas: gas && notBelowFloor(one.request, gas) }))
    const runs = await Promise.all(floored.map(async ({ one, gas }) => withGas(await prepare(one, abilities), gas)))
    const call = simulationOf(runs, abilities.pendingBlock ? 'pending' : 'latest')
    const read = ([answer]: RpcAnswer[]) => {
      const ran = answer?.error ? [] : readSimulations(resultOf(answer))
      if (ran.length !== floored.length) return []
      return floored.flatMap(({ one, gas }, index) => {
        const its = ran[index]!
        const isEnough = its.outcome === 'success' && (gas === null || its.gasUsed <= gas)
        return isEnough ? [[one, { ...its, gas: gas ?? its.gasUsed }] as const] : []
      })
    }
    return new Map(await rpc.read([call], read, { isAnswer: () => true }))
  }

  /**
   * The most gas that each uses, after refunds, when it has all that it wants: on the pending block among the others, and
   * by itself. Null: it fails there, or the node can't tell.
   */
  async function useFreely(company: readonly Asked[]): Promise<(bigint | null)[]> {
    const [together, byThemselves] = await Promise.all([
      runTogether(company.map((one) => ({ one, gas: null }))),
      company.length > 1 ? Promise.all(company.map(useByItself)) : null,
    ])
    return company.map((one, index) => {
      const among = together.get(one)?.gas ?? null
      const byItself = byThemselves ? byThemselves[index]! : among
      if (among === null || byItself === null) return null
      return among > byItself ? among : byItself
    })
  }

  /** On the latest block, since some nodes build the pending one anew for each question. */
  async function useByItself(asked: Asked): Promise<bigint | null> {
    const read = ([answer]: RpcAnswer[]) => {
      if (answer?.error) return null
      const [ran] = readSimulations(resultOf(answer))
      return ran?.outcome === 'success' ? ran.gasUsed : null
    }
    return rpc.read([simulationOf([await prepare(asked, abilities)], 'latest')], read, { isAnswer: () => true })
  }

  async function prepare({ request, options }: Asked, assumed: Abilities): Promise<Run> {
    const { from, to, data, value } = request
    const { overrideDelegate } = options
    return {
      transaction: { from, to, data, value: quantity(value) },
      overrides: overrideDelegate && {
        [overrideDelegate.account]: { code: await codeFor(overrideDelegate.delegate, assumed) },
      },
    }
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

type Asked = { request: TransactionRequest; options: SimulationOptions }

/** One to be run with so much gas. Null: with all that it wants. */
type Allotted = { one: Asked; gas: bigint | null }

type Run = { transaction: object; overrides: Record<Address, { code: Hex }> | null }

function withGas({ transaction, overrides }: Run, gas: bigint | null): Run {
  if (gas === null) return { transaction, overrides }
  return { transaction: { ...transaction, gas: quantity(gas) }, overrides }
}

/** A tenth more: for refunds, for what each call keeps back of its gas (EIP-150), and for data that has fewer zeros. */
function withRoom(gas: bigint): bigint {
  if (gas > mostWithRoom) return gas
  const more = gas + gas / 10n
  return more < mostWithRoom ? more : mostWithRoom
}

/** Nodes take no transaction with less. */
function notBelowFloor({ data }: TransactionRequest, gas: bigint): bigint {
  const floor = calldataFloor(data)
  return gas > floor ? gas : floor
}

function plainCall(method: string, { transaction, overrides }: Run, tag: string): RpcCall {
  return call(method, transaction, tag, ...(overrides ? [overrides] : []))
}

function simulationOf(runs: Run[], tag: string): RpcCall {
  const overrides = Object.assign({}, ...runs.map((run) => run.overrides)) as object
  const block = {
    ...(Object.keys(overrides).length > 0 && { stateOverrides: overrides }),
    calls: runs.map(({ transaction }) => transaction),
  }
  return call('eth_simulateV1', { blockStateCalls: [block], traceTransfers: true, validation: false }, tag)
}

type Outcome = (Simulation & { used?: bigint }) | { outcome: 'unable'; ability: keyof Abilities }

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

type Ran = { outcome: 'success'; logs: Log[]; gasUsed: bigint }

/** Of each transaction, in order. */
function readSimulations(result: unknown): (Ran | Reverted)[] {
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
    return { outcome: 'reverted', data, text: String(error['message'] ?? 'execution failed') }
  })
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
    (typeof data === 'string' && /^Reverted 0x/.test(data)) ||
    isRevertData(data)
  )
}

/**
 * Which of the assumed abilities an error denies. A revert denies none: it may hold the reason that a contract gives, and
 * that must not be read as what the node says of itself.
 */
function missingAbility(error: RpcError, assumed: Abilities): keyof Abilities | null {
  if (isRevert(error)) return null
  const { code, message } = error
  const denials: Record<keyof Abilities, boolean> = {
    simulation:
      code === -32601 || /method .*(?:not found|not supported|not available|does not exist|not enabled)/i.test(message),
    pendingBlock: /pending (?:block|state)?\s*(?:is )?(?:not (?:available|found|supported)|unavailable)/i.test(message),
    designators: /invalid bytecode|bytecode.*(?:7702|invalid)|override.*(?:code|bytecode)/i.test(message),
  }
  const denied = (['simulation', 'pendingBlock', 'designators'] as const).find((ability) => denials[ability])
  return denied && assumed[denied] ? denied : null
}

/** Hex and nothing else; a node that tells what it can't do may end its words with the code that it was given. */
function isRevertData(data: unknown): boolean {
  if (typeof data === 'object' && data !== null) return isRevertData((data as { data?: unknown }).data)
  return typeof data === 'string' && /^0x(?:[0-9a-f]{2})+$/i.test(data)
}

/** Revert data as nodes give it: hex, "Reverted 0x…" (parity), or inside an object. */
function hexIn(value: unknown): Hex | null {
  if (typeof value === 'object' && value !== null) return hexIn((value as { data?: unknown }).data)
  const hex = typeof value === 'string' ? /0x(?:[0-9a-f]{2})*$/i.exec(value)?.[0] : undefined
  return hex ? (hex.toLowerCase() as Hex) : null
}
