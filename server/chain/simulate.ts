import type { Address, Hex } from 'viem'
import {
  ChainUnavailable,
  type Rerun,
  type Simulation,
  type SimulationOptions,
  type TransactionRequest,
} from './chain.js'
import { grouped } from '../concurrency/grouped.js'
import { sideBySide } from '../concurrency/sideBySide.js'
import { settledOrAfter } from '../concurrency/settledOrAfter.js'
import { partsUpTo } from '../domain/partsUpTo.js'
import { thoseThatFit } from '../domain/thoseThatFit.js'
import { createAbility } from './nodes/ability.js'
import { saysLate, saysLimited } from './nodes/busyNode.js'
import { createGasHints, formOf, isExplained, isTight } from './gasHints.js'
import { createPace } from './nodes/pace.js'
import type { Rpc } from './nodes/rpc.js'
import { call, delegationTo, quantity, readHex, resultOf } from './nodes/rpcFormat.js'
import type { RpcAnswer, RpcCall } from './nodes/rpcNode.js'
import {
  type Abilities,
  isRevert,
  missingAbility,
  notBelowFloor,
  type Ran,
  readOutcome,
  readSimulations,
  revertOf,
} from './simulationAnswers.js'

/**
 * How many transactions are simulated together, and each by itself beside that. As many as a bundle has steps by default:
 * what is simulated together is ready together, and the bundles come out full and of one size, which packs blocks.
 */
const mostTogether = 40

/** How much gas is enough for those that are run in one block, of which many chains have 30 million. */
const mostGasTogether = 15_000_000n

/**
 * How many such simulations are under way at once. One after the other, a node that takes 100 ms to answer would hold the
 * chain down to ten of them a second; their answers are large, and more of them take more memory than they bring.
 */
const atOnce = 2

/** How many digits of data they have together, so that nodes take the request; the others are simulated by themselves. */
const longestTogether = 524_288

/** Room alone lifts nothing over EIP-7825's limit of 16,777,216, authorizations included. */
const mostWithRoom = 16_000_000n

/** How long the others wait for the first of their form. */
const firstWithinMs = 1_000

/**
 * Runs a transaction on the pending block without sending it. By itself, by one round trip: eth_simulateV1 tells logs and
 * revert, eth_estimateGas the gas that it takes to get there. Where the first has the say, the second goes by the latest
 * block, since some nodes build the pending one anew for each question.
 * Those that may be run in company share the pending block. By one round trip they are run with the gas that was enough
 * for the last of their form, and with all that they want, together and each by itself; those for which it was too little
 * or far too much are run again with little more than they used. An estimate, for which a node runs the same a dozen
 * times, is made only of those for which that fails too, and of the first of a form in a while, for which the others wait.
 */
export function createSimulator(rpc: Rpc) {
  const abilities = { simulation: createAbility(), designators: createAbility(), pendingBlock: createAbility() }
  const assumedNow = (): Abilities => ({
    simulation: abilities.simulation.isThere(),
    designators: abilities.designators.isThere(),
    pendingBlock: abilities.pendingBlock.isThere(),
  })
  const codes = new Map<Address, Hex>()
  const hints = createGasHints()
  /** Whether an estimate of this chain has held more than was used. */
  let holdsMore = false
  // An estimate may take a node a second; many such at once would none of them come back in time.
  const inTurn = createPace({
    refuse: () => rpc.unavailable('eth_simulateV1', 'too many simulations are under way'),
    now: () => performance.now(),
  })
  const inCompany = grouped(simulateTogether, mostTogether, { sideBySide: atOnce })
  /** What is the first of its form, while it is estimated. */
  const firsts = new Map<string, Promise<Simulation>>()

  return async function simulate(request: TransactionRequest, options: SimulationOptions): Promise<Simulation> {
    const asked = { request, options }
    const mayHaveCompany = () => options.inCompany && abilities.simulation.isThere()
    const hasCompany = () => mayHaveCompany() && typeof hints.get(request.data) === 'bigint'
    if (mayHaveCompany() && hints.get(request.data) === undefined) {
      const first = firsts.get(formOf(request.data))
      if (!first) return beFirst(asked)
      await settledOrAfter(first, firstWithinMs)
    }
    const hadCompany = hasCompany()
    const found = hadCompany ? await inCompany(asked) : null
    if (found) return found
    // While it waits for its turn another of its form may be estimated, and it needs no estimate of its own. Whoever has had
    // company in vain would have it in vain again.
    return inTurn(async () => (!hadCompany && hasCompany() ? await inCompany(asked) : null) ?? estimate(asked))
  }

  function beFirst(asked: Asked): Promise<Simulation> {
    const form = formOf(asked.request.data)
    const estimated = inTurn(() => estimate(asked)).finally(() => firsts.delete(form))
    firsts.set(form, estimated)
    return estimated
  }

  /** By itself. What it takes is tried on the next of its form. */
  async function estimate(asked: Asked): Promise<Simulation> {
    const { used, ...simulated } = await simulateByItself(asked)
    // Where an estimate holds more than the transaction uses, as the price of its data on some chains, no use says it.
    if (simulated.outcome === 'success' && used) {
      if (isExplained(simulated.gas, used)) hints.note(asked.request.data, withRoom(simulated.gas))
      else {
        hints.noteNone(asked.request.data)
        holdsMore = true
      }
    }
    return simulated
  }

  /** `used`: what it did, if the node can tell. */
  async function simulateByItself(asked: Asked): Promise<Used> {
    try {
      return await runByItself(asked)
    } catch (error) {
      // An estimate may take longer than a node is waited for, however often it is asked for. What has failed in another
      // way is asked for again, and on a chain whose estimates hold more than is used nothing else tells what is needed.
      const isDispensable = abilities.simulation.isThere() && !holdsMore
      if (!isDispensable || !(error instanceof ChainUnavailable) || !error.isLate) throw error
      return withoutEstimate(asked)
    }
  }

  /** With little more gas than it used, where that is enough. */
  async function withoutEstimate(asked: Asked): Promise<Used> {
    const simulated = await runByItself(asked, { isEstimated: false })
    if (simulated.outcome !== 'success' || !simulated.used) return simulated
    const ran = await runTogether([{ one: asked, gas: withRoom(simulated.used) }])
    return { ...simulated, gas: ran.get(asked)?.gas ?? simulated.gas }
  }

  async function runByItself(asked: Asked, { isEstimated = true } = {}): Promise<Used> {
    for (;;) {
      const assumed = assumedNow()
      const run = await prepare(asked, assumed)
      const tag = assumed.pendingBlock ? 'pending' : 'latest'
      const first = assumed.simulation ? simulationOf([run], tag) : plainCall('eth_call', run, tag)
      const estimation = plainCall('eth_estimateGas', run, assumed.simulation ? 'latest' : tag)
      const calls = isEstimated || !assumed.simulation ? [first, estimation] : [first]
      const outcome = await rpc.read(calls, (answers) => readOutcome(asked.request, calls, answers, assumed), {
        isAnswer: (error, { method }) =>
          (method === 'eth_estimateGas' && !saysLimited(error) && !saysLate(error)) ||
          isRevert(error) ||
          missingAbility(error, assumed) !== null,
      })
      if (outcome.outcome !== 'unable') return outcome
      // Only an ability that was assumed can turn out to be missing, so this ends.
      abilities[outcome.ability].deny()
    }
  }

  /** Null, at its place: to be simulated by itself, as everything that has failed is. Never throws. */
  async function simulateTogether(asked: Asked[]): Promise<(Simulation | null)[]> {
    // Of others it is not known whether what they use says what they need.
    const fitting = thoseThatFit(oneOfEachAccount(asked), ({ request }) => request.data.length, longestTogether)
    const known = fitting.flatMap((one): Known[] => {
      const gas = hints.get(one.request.data)
      return typeof gas === 'bigint' ? [{ one, gas }] : []
    })
    const found = new Map<Asked, Simulation>()
    const tried = sideBySide(asBlocks(known), atOnce, async (block) => {
      for (const [one, its] of await tryTogether(block)) found.set(one, its)
    })
    // Of those that can't be asked for each is told by itself why.
    await tried.catch(() => undefined)
    return asked.map((one) => found.get(one) ?? null)
  }

  /** Answers those that succeed, and for which is known how much is enough. */
  async function tryTogether(known: readonly Known[]): Promise<[Asked, Simulation][]> {
    const [ran, uses] = await Promise.all([runTogether(known), useFreely(known.map(({ one }) => one))])
    const found: [Asked, Simulation][] = []
    const again: Known[] = []
    for (const [index, { one }] of known.entries()) {
      const [its, used] = [ran.get(one), uses[index]]
      // What fails by itself may succeed for what the others leave.
      if (!used) continue
      // With less than it uses when it has all it wants, it may go on without what has failed for want of gas.
      if (its && its.gas >= used && isTight(its.gas, used)) found.push([one, its])
      else again.push({ one, gas: withRoom(used) })
    }
    for (const block of asBlocks(again)) {
      for (const [one, its] of await runTogether(block).catch(() => [])) {
        found.push([one, its])
        hints.adjust(one.request.data, its.gas)
      }
    }
    return found
  }

  /**
   * Runs them one after the other on the pending block; answers those that succeed with so much, or with all that they
   * want, and then how much that is.
   */
  async function runTogether(allotted: readonly Allotted[]): Promise<Map<Asked, Ran & { gas: bigint }>> {
    if (allotted.length === 0) return new Map()
    const floored = allotted.map(({ one, gas }) => ({ one, gas: gas && notBelowFloor(one.request, gas) }))
    const assumed = assumedNow()
    const runs = await Promise.all(floored.map(async ({ one, gas }) => withGas(await prepare(one, assumed), gas)))
    const call = simulationOf(runs, assumed.pendingBlock ? 'pending' : 'latest')
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
    return rpc.read([simulationOf([await prepare(asked, assumedNow())], 'latest')], read, { isAnswer: () => true })
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

/** A mined transaction once more on the newest block, with all the gas that the node allows. */
export function rerun(rpc: Rpc, { from, to, data, value }: TransactionRequest): Promise<Rerun> {
  const transaction = { from, to, data, value: quantity(value) }
  const read = ([answer]: RpcAnswer[]): Rerun => (answer?.error ? revertOf(answer.error) : { outcome: 'success' })
  return rpc.read([call('eth_call', transaction, 'latest')], read, { isAnswer: isRevert })
}

type Used = Simulation & { used?: bigint }

type Asked = { request: TransactionRequest; options: SimulationOptions }

/** One to be run with so much gas. Null: with all that it wants. */
type Allotted = { one: Asked; gas: bigint | null }

/** One for which so much may be enough. */
type Known = { one: Asked; gas: bigint }

type Run = { transaction: object; overrides: Record<Address, { code: Hex }> | null }

/** Each account's first: what one does is no state for another of the same account to begin with. */
function oneOfEachAccount(asked: readonly Asked[]): Asked[] {
  const accounts = new Set<Address>()
  return asked.filter(({ options }) => {
    const account = options.overrideDelegate?.account
    if (!account) return true
    const isFirst = !accounts.has(account)
    accounts.add(account)
    return isFirst
  })
}

/** As many in each as one block has gas for. */
function asBlocks(known: readonly Known[]): Known[][] {
  return partsUpTo(known, ({ one, gas }) => notBelowFloor(one.request, gas), mostGasTogether)
}

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
