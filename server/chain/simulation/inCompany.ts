import type { Address } from 'viem'
import type { Simulation } from '../chain.js'
import { forEachLimit } from '../../concurrency/forEachLimit.js'
import { grouped } from '../../concurrency/grouped.js'
import { chunkByWeight } from '../../lists/chunkByWeight.js'
import { thoseThatFit } from '../../lists/thoseThatFit.js'
import { notBelowFloor } from './answers.js'
import { type createGasHints, isTight } from './gasHints.js'
import { type Asked, type Known, type Runs, withRoom } from './runs.js'

/**
 * How many transactions are simulated together, and each by itself beside that. As many as a bundle
 * has steps by default: what is simulated together is ready together, and the bundles come out full
 * and of one size, which packs blocks.
 */
const mostTogether = 40

/** How much gas the transactions that are run in one block may need together; many chains' blocks have 30 million. */
const mostGasTogether = 15_000_000n

/**
 * How many such simulations are under way at once. One after the other, a node that takes 100 ms to answer would hold
 * the chain down to ten of them a second; their answers are large, and more of them take more memory than they bring.
 */
const atOnce = 2

/**
 * How many digits of data transactions have together at most, so that nodes take the request; the others are simulated
 * by themselves.
 */
const longestTogether = 524_288

/**
 * Simulates transactions that come together with each other, each by how much gas was enough for the last of its form.
 */
export function createCompany(runs: Runs, hints: ReturnType<typeof createGasHints>) {
  return grouped(simulateTogether, mostTogether, { groupsAtOnce: atOnce })

  /** Null, at its place: to be simulated by itself, as everything that has failed is. Never throws. */
  async function simulateTogether(asked: Asked[]): Promise<(Simulation | null)[]> {
    // Only those of which there is a hint: of others it is not known whether what they use says what they need.
    const fitting = thoseThatFit(oneOfEachAccount(asked), ({ request }) => request.data.length, longestTogether)
    const known = fitting.flatMap((one): Known[] => {
      const gas = hints.get(one.request.data)
      return typeof gas === 'bigint' ? [{ one, gas }] : []
    })
    const found = new Map<Asked, Simulation>()
    const tried = forEachLimit(asBlocks(known), atOnce, async (block) => {
      for (const [one, its] of await tryTogether(block)) found.set(one, its)
    })
    // Where the request fails, each is simulated by itself, which tells why.
    await tried.catch(() => undefined)
    return asked.map((one) => found.get(one) ?? null)
  }

  /** Answers those that succeed, where it is known how much gas is enough for them. */
  async function tryTogether(known: readonly Known[]): Promise<[Asked, Simulation][]> {
    const [ran, uses] = await Promise.all([runs.runTogether(known), useFreely(known.map(({ one }) => one))])
    const found: [Asked, Simulation][] = []
    const again: Known[] = []
    for (const [index, { one }] of known.entries()) {
      const [its, used] = [ran.get(one), uses[index]]
      // One that fails by itself may succeed for what the others leave.
      if (!used) continue
      // With less than it uses when it has all it wants, it may go on without what has failed for want of gas.
      if (its && its.gas >= used && isTight(its.gas, used)) found.push([one, its])
      else again.push({ one, gas: withRoom(used) })
    }
    for (const block of asBlocks(again)) {
      for (const [one, its] of await runs.runTogether(block).catch(() => [])) {
        found.push([one, its])
        hints.adjust(one.request.data, its.gas)
      }
    }
    return found
  }

  /**
   * The most gas that each uses, after refunds, when it has all that it wants: on the pending block among the others,
   * and by itself. Null: it fails there, or the node can't tell.
   */
  async function useFreely(company: readonly Asked[]): Promise<(bigint | null)[]> {
    const [together, byThemselves] = await Promise.all([
      runs.runTogether(company.map((one) => ({ one, gas: null }))),
      company.length > 1 ? Promise.all(company.map(runs.useByItself)) : null,
    ])
    return company.map((one, index) => {
      const among = together.get(one)?.gas ?? null
      const byItself = byThemselves ? byThemselves[index]! : among
      if (among === null || byItself === null) return null
      return among > byItself ? among : byItself
    })
  }
}

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
  return chunkByWeight(known, ({ one, gas }) => notBelowFloor(one.request, gas), mostGasTogether)
}
