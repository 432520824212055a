import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import type { Database } from '../../server/store/connection/database.js'
import type { Store } from '../../server/store/store.js'
import { pause } from './pause.js'
import { printStatus } from './printStatus.js'
import { resumeAtChain } from './resumeAtChain.js'
import { retire } from './retire.js'
import { acknowledgeUnknownPayout, forgetUnknownPayout } from './unknownPayouts.js'
import { readAddress, readChainId, readExposureId } from './words.js'

type Place = { database: Database; store: Store; chains: ReadonlyMap<number, Chain> }

type Order = {
  words: readonly string[]
  /**
   * What follows: `<…>` has to be there, `[…]` may be; `--…` stands for itself, and `[reason]` for any number of words.
   */
  args: readonly string[]
  run: (place: Place, ...given: string[]) => Promise<void>
}

/** What is done with the service's own database. */
const orders: readonly Order[] = [
  { words: ['status'], args: [], run: printStatus },
  { words: ['drain', 'on'], args: [], run: (place) => drain(place, true) },
  { words: ['drain', 'off'], args: [], run: (place) => drain(place, false) },
  {
    words: ['lane', 'pause'],
    args: ['<chainId>', '<operator>', '[reason]'],
    async run({ store }, chainId: string, operator: string, ...words) {
      const lane = readLane(chainId, operator)
      console.log(await pause({ ...lane, reason: words.join(' ') || 'by an operator' }, store))
    },
  },
  {
    words: ['lane', 'resume'],
    args: ['<chainId>', '<operator>'],
    async run({ store, chains }, chainId: string, operator: string) {
      const lane = readLane(chainId, operator)
      console.log(await resumeAtChain(chainOf(lane, chains), lane.signer, store))
    },
  },
  {
    words: ['lane', 'retire'],
    args: ['<chainId>', '<operator>', '[--give-up]'],
    async run({ database, chains }, chainId: string, operator: string, giveUp?: string) {
      const lane = readLane(chainId, operator)
      console.log(await retire(chainOf(lane, chains), lane.signer, database, { givesUp: giveUp !== undefined }))
    },
  },
  {
    words: ['exposure', 'settle'],
    args: ['<id>'],
    async run(place, text: string) {
      const id = readExposureId(text)
      if (!(await place.store.settleExposure(id, Date.now()))) throw new Error(`There is no open exposure ${id}`)
      await printStatus(place)
    },
  },
  {
    words: ['payout', 'acknowledge'],
    args: ['<chainId>', '<token>', '<transactionHash>', '<amount>', '[<user>]'],
    async run(place, chainId: string, token: string, transactionHash: string, amount: string, user?: string) {
      console.log(await acknowledgeUnknownPayout({ chainId, token, transactionHash, amount, user }, place))
    },
  },
  {
    words: ['payout', 'forget'],
    args: ['<chainId>', '<token>', '<transactionHash>', '[<user>]'],
    async run(place, chainId: string, token: string, transactionHash: string, user?: string) {
      console.log(await forgetUnknownPayout({ chainId, token, transactionHash, user }, place))
    },
  },
]

export const ordersUsage = orders.map(({ words, args }) => [...words, ...args].join(' ')).join(' | ')

/** What the words ask for. Null: they are no order. */
export function readOrder(said: readonly string[]): ((place: Place) => Promise<void>) | null {
  const order = orders.find(({ words }) => words.every((word, index) => said[index] === word))
  if (!order) return null
  const given = said.slice(order.words.length)
  return fits(given, order.args) ? (place) => order.run(place, ...given) : null
}

function fits(given: readonly string[], args: readonly string[]): boolean {
  const most = args.includes('[reason]') ? Infinity : args.length
  const isMissing = (arg: string, index: number) => arg.startsWith('<') && !given[index]
  const isOther = (word: string, index: number) => args[index]?.startsWith('[--') && args[index] !== `[${word}]`
  return given.length <= most && !args.some(isMissing) && !given.some(isOther)
}

async function drain(place: Place, isOn: boolean): Promise<void> {
  await place.store.setDraining(isOn, Date.now())
  await printStatus(place)
}

function readLane(chainId: string, operator: string): { chainId: number; signer: Address } {
  return { chainId: readChainId(chainId), signer: readAddress(operator, '<operator>') }
}

function chainOf({ chainId }: { chainId: number }, chains: Place['chains']): Chain {
  const chain = chains.get(chainId)
  if (!chain) throw new Error(`There is no chain ${chainId} in the configuration`)
  return chain
}
