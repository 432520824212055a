import type { Address, Hex } from 'viem'
import type { Simulation, SimulationOptions, TransactionRequest } from '../chain.js'
import { createContractCodes } from '../contractCodes.js'
import { createAbility } from '../nodes/ability.js'
import type { Rpc } from '../nodes/rpc.js'
import { call, delegationTo, quantity, resultOf } from '../nodes/rpcFormat.js'
import type { RpcAnswer, RpcCall } from '../nodes/rpcNode.js'
import { type Abilities, notBelowFloor, type Ran, readSimulations } from './answers.js'

/** Up to here room is added: room alone must lift no limit over EIP-7825's 16,777,216, authorizations included. */
const mostWithRoom = 16_000_000n

export type Used = Simulation & { used?: bigint }

export type Asked = { request: TransactionRequest; options: SimulationOptions }

/** One to be run with so much gas. Null: with all that it wants. */
type Allotted = { one: Asked; gas: bigint | null }

/** One for which so much may be enough. */
export type Known = { one: Asked; gas: bigint }

type Run = { transaction: object; overrides: Record<Address, { code: Hex }> | null }

export type Runs = ReturnType<typeof createRuns>

/** What nodes are asked to run, by what they are able to. */
export function createRuns(rpc: Rpc) {
  const abilities = { simulation: createAbility(), designators: createAbility(), pendingBlock: createAbility() }
  const codeOf = createContractCodes(rpc)

  return {
    assumedNow,
    deny: (ability: keyof Abilities) => abilities[ability].deny(),
    prepare,
    runTogether,
    useByItself,
  }

  function assumedNow(): Abilities {
    return {
      simulation: abilities.simulation.isThere(),
      designators: abilities.designators.isThere(),
      pendingBlock: abilities.pendingBlock.isThere(),
    }
  }

  /**
   * Runs transactions one after the other on the pending block. Answers those that succeed with so much gas; or with
   * all that they want, and then how much that is.
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
   * How much gas a transaction uses by itself. On the latest block, since some nodes build the pending one anew for
   * each question. Null: it fails, or the node can't tell.
   */
  async function useByItself(asked: Asked): Promise<bigint | null> {
    const read = ([answer]: RpcAnswer[]) => {
      if (answer?.error) return null
      const [ran] = readSimulations(resultOf(answer))
      return ran?.outcome === 'success' ? ran.gasUsed : null
    }
    return rpc.read([simulationOf([await prepare(asked, assumedNow())], 'latest')], read, { isAnswer: () => true })
  }

  async function prepare({ request, options }: Asked, assumed: Abilities): Promise<Run> {
    const { overrideDelegate } = options
    return {
      transaction: callObject(request),
      overrides: overrideDelegate && {
        [overrideDelegate.account]: { code: await codeFor(overrideDelegate.delegate, assumed) },
      },
    }
  }

  async function codeFor(delegate: Address, assumed: Abilities): Promise<Hex> {
    return assumed.designators ? delegationTo(delegate) : codeOf(delegate)
  }
}

/** A request in the form that nodes take. */
export function callObject({ from, to, data }: TransactionRequest): object {
  return { from, to, data, value: quantity(0) }
}

function withGas({ transaction, overrides }: Run, gas: bigint | null): Run {
  if (gas === null) return { transaction, overrides }
  return { transaction: { ...transaction, gas: quantity(gas) }, overrides }
}

/** A tenth more: for refunds, for what each call keeps back of its gas (EIP-150), and for data that has fewer zeros. */
export function withRoom(gas: bigint): bigint {
  if (gas > mostWithRoom) return gas
  const more = gas + gas / 10n
  return more < mostWithRoom ? more : mostWithRoom
}

export function plainCall(method: string, { transaction, overrides }: Run, tag: string): RpcCall {
  return call(method, transaction, tag, ...(overrides ? [overrides] : []))
}

export function simulationOf(runs: Run[], tag: string): RpcCall {
  const overrides = Object.assign({}, ...runs.map((run) => run.overrides)) as object
  const block = {
    ...(Object.keys(overrides).length > 0 && { stateOverrides: overrides }),
    calls: runs.map(({ transaction }) => transaction),
  }
  return call('eth_simulateV1', { blockStateCalls: [block], traceTransfers: true, validation: false }, tag)
}
