import { h, link } from './dom.js'
import { badge, copyButton, plural, short, statusIcon } from './format.js'
import { amountText, chainName, directionOf, stateMark, stateOf } from './money.js'

/** @typedef {import('../api/generated/types.gen.js').Action} Action */
/** @typedef {import('../api/generated/types.gen.js').Chain} Chain */
/** @typedef {import('../api/generated/types.gen.js').ChainBatch} ChainBatch */
/** @typedef {import('../api/generated/types.gen.js').Step} Step */
/** @typedef {import('../api/generated/types.gen.js').TokenTransfer} TokenTransfer */

/**
 * One step: where, what it moves, the transaction, and what went wrong if something did.
 * @param {Action} action
 * @param {Step} step
 * @param {ChainBatch | undefined} batch
 * @param {Map<number, Chain>} chains
 */
export function stepView(action, step, batch, chains) {
  const chain = chains.get(step.chainId)
  const transfers = batch?.tokenTransfers ?? []
  return h(
    'li',
    { class: `step ${step.status}` },
    h('span', { class: 'dot' }, statusIcon(step.status)),
    h(
      'div',
      { class: 'body' },
      h(
        'h3',
        {},
        `Intent ${step.intentIndex} · step ${step.stepIndex}`,
        ' ',
        h('span', { class: 'quiet' }, `on ${chainName(step.chainId, chains)}`),
      ),
      badge(step.status),
      transfers.length > 0 &&
        h(
          'ul',
          { class: 'transfers' },
          transfers.map((transfer) => transferView(action, transfer, step, chain)),
        ),
      step.error && errorView(step.error),
      h('dl', { class: 'facts' }, factsOf(step, chain)),
    ),
  )
}

/**
 * @param {Action} action
 * @param {TokenTransfer} transfer
 * @param {Step} step
 * @param {Chain | undefined} chain
 */
function transferView(action, transfer, step, chain) {
  const words = { in: 'Money in', out: 'Money out', other: 'Transfer' }
  const direction = directionOf(transfer, chain)
  return h(
    'li',
    { class: `transfer ${direction}` },
    h('span', { class: 'direction' }, words[direction]),
    h('strong', {}, amountText(BigInt(transfer.amount), transfer.token, chain)),
    h(
      'span',
      { class: 'parties' },
      'from ',
      party(action, transfer.from, chain),
      ' to ',
      party(action, transfer.to, chain),
    ),
    stateMark(stateOf(step.status)),
  )
}

/**
 * @param {Action} action
 * @param {string} who
 * @param {Chain | undefined} chain
 */
function party(action, who, chain) {
  if (who === 'solver') return h('span', {}, 'the solver')
  const name = { [action.user.toLowerCase()]: 'the user', [chain?.solver.toLowerCase() ?? '']: 'the solver' }
  const known = name[who.toLowerCase()]
  if (known) return h('span', { title: who }, known)
  return h('span', { title: who }, chainLink(chain, 'address', who, short(who)))
}

/** @param {NonNullable<Step['error']>} error */
function errorView({ code, message, retryable }) {
  return h(
    'div',
    { class: 'problem' },
    h('p', {}, h('code', {}, code)),
    h('p', { class: 'message' }, message),
    h(
      'p',
      { class: 'quiet' },
      retryable ? 'Asking for the step again may help.' : 'Asking for the step again does not help.',
    ),
  )
}

/**
 * @param {Step} step
 * @param {Chain | undefined} chain
 */
function factsOf(step, chain) {
  const { transactionHash, blockNumber, confirmations, requiredConfirmations, attempts } = step
  return [
    transactionHash !== null &&
      fact(
        'Transaction',
        h(
          'span',
          { class: 'mono', title: transactionHash },
          chainLink(chain, 'tx', transactionHash, short(transactionHash)),
        ),
        copyButton(transactionHash, 'transaction hash'),
      ),
    blockNumber !== null && fact('Block', String(blockNumber)),
    transactionHash !== null && fact('Confirmations', `${confirmations} of ${requiredConfirmations}`),
    attempts > 1 && fact('Tried', plural(attempts, 'time')),
  ]
}

/**
 * @param {string} term
 * @param {...import('./dom.js').Content} content
 */
function fact(term, ...content) {
  return h('div', {}, h('dt', {}, term), h('dd', {}, ...content))
}

/**
 * To the chain's block explorer, where it has one.
 * @param {Chain | undefined} chain
 * @param {'tx' | 'address'} kind
 * @param {string} value
 * @param {string} text
 */
function chainLink(chain, kind, value, text) {
  if (!chain?.explorerUrl) return h('span', {}, text)
  return link(
    `${chain.explorerUrl.replace(/\/+$/, '')}/${kind}/${encodeURIComponent(value)}`,
    { target: '_blank' },
    text,
  )
}
