import { h } from './dom.js'
import { short, units } from './format.js'

/** @typedef {import('../api/generated/types.gen.js').Action} Action */
/** @typedef {import('../api/generated/types.gen.js').Chain} Chain */
/** @typedef {import('../api/generated/types.gen.js').Status} Status */
/** @typedef {import('../api/generated/types.gen.js').TokenTransfer} TokenTransfer */
/** @typedef {Map<number, Chain>} Chains */

/**
 * Whether a transfer has taken place, by its step.
 * @typedef {'moved' | 'expected' | 'failed'} State
 */

const nativeToken = '0x0000000000000000000000000000000000000000'

/** @type {Record<State, string>} */
const stateWords = { moved: 'moved', expected: 'expected', failed: 'did not move' }

/**
 * @param {Status} status a step's
 * @returns {State}
 */
export function stateOf(status) {
  if (status === 'success') return 'moved'
  return status === 'reverted' || status === 'error' ? 'failed' : 'expected'
}

/**
 * From the solver's side: what he is paid, and what he pays. The rest is between others.
 * @param {TokenTransfer} transfer
 * @param {Chain | undefined} chain
 * @returns {'in' | 'out' | 'other'}
 */
export function directionOf(transfer, chain) {
  if (transfer.from === 'solver') return 'out'
  return transfer.to.toLowerCase() === chain?.solver.toLowerCase() ? 'in' : 'other'
}

/**
 * @param {bigint} amount
 * @param {string} token
 * @param {Chain | undefined} chain
 */
export function amountText(amount, token, chain) {
  const known =
    token === nativeToken
      ? chain?.nativeCurrency
      : chain?.tokens.find((entry) => entry.address.toLowerCase() === token.toLowerCase())
  return known ? `${units(amount, known.decimals)} ${known.symbol}` : `${units(amount, 0)} units of ${short(token)}`
}

/**
 * @param {number} chainId
 * @param {Chains} chains
 */
export function chainName(chainId, chains) {
  return chains.get(chainId)?.name ?? `Chain ${chainId}`
}

/**
 * What the user pays the solver, and what the solver pays, over all steps of an action.
 * @param {Action} action
 * @param {Chains} chains
 */
export function moneyPanels(action, chains) {
  const flows = flowsOf(action, chains)
  if (flows.length === 0) return null
  return h(
    'section',
    { class: 'money', 'aria-label': 'Money in and out' },
    panel(
      'Money in',
      'paid to the solver',
      flows.filter((flow) => flow.direction === 'in'),
    ),
    panel(
      'Money out',
      'paid by the solver',
      flows.filter((flow) => flow.direction === 'out'),
    ),
  )
}

/**
 * What has moved in one direction, in words.
 * @param {Action} action
 * @param {'in' | 'out'} direction
 * @param {Chains} chains
 */
export function moved(action, direction, chains) {
  return flowsOf(action, chains)
    .filter((flow) => flow.direction === direction && flow.state === 'moved')
    .map((flow) => flow.text)
}

/**
 * One entry for each direction, chain, token and state, with the sum.
 * @param {Action} action
 * @param {Chains} chains
 */
function flowsOf(action, chains) {
  /**
   * @type {Map<string, { direction: string, state: State, chainId: number, token: string,
   * amount: bigint, text: string }>}
   */
  const flows = new Map()
  for (const intent of action.intents) {
    for (const [index, { chainId, tokenTransfers }] of intent.chainBatches.entries()) {
      const state = stateOf(intent.steps[index]?.status ?? 'created')
      const chain = chains.get(chainId)
      for (const transfer of tokenTransfers) {
        const direction = directionOf(transfer, chain)
        if (direction === 'other') continue
        const key = [direction, state, chainId, transfer.token].join()
        const amount = (flows.get(key)?.amount ?? 0n) + BigInt(transfer.amount)
        const text = `${amountText(amount, transfer.token, chain)} on ${chainName(chainId, chains)}`
        flows.set(key, { direction, state, chainId, token: transfer.token, amount, text })
      }
    }
  }
  return [...flows.values()]
}

/**
 * @param {string} title
 * @param {string} meaning
 * @param {{ state: State, text: string }[]} flows
 */
function panel(title, meaning, flows) {
  return h(
    'div',
    { class: 'panel' },
    h('h2', {}, title, ' ', h('small', {}, meaning)),
    flows.length === 0
      ? h('p', { class: 'quiet' }, 'Nothing')
      : h(
          'ul',
          {},
          flows.map(({ state, text }) =>
            h('li', { class: `flow ${state}` }, h('strong', {}, text), ' ', stateMark(state)),
          ),
        ),
  )
}

/** @param {State} state */
export function stateMark(state) {
  return h('span', { class: `mark ${state}` }, stateWords[state])
}
