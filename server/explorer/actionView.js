import { creditAfterFailure } from './creditView.js'
import { h } from './dom.js'
import { badge, copyButton, modeText, plural, short, statusLabel, time } from './format.js'
import { chainName, moneyPanels } from './money.js'
import { stepView } from './stepView.js'

/** @typedef {import('../api/generated/types.gen.js').Action} Action */
/** @typedef {import('../api/generated/types.gen.js').Chain} Chain */
/** @typedef {import('../api/generated/types.gen.js').Intent} Intent */
/** @typedef {import('../api/generated/types.gen.js').Step} Step */
/** @typedef {import('../api/generated/types.gen.js').TokenBalance} TokenBalance */
/** @typedef {import('./followAction.js').Connection} Connection */

/** @type {Record<Connection, string>} */
const connections = { connecting: 'Connecting', live: 'Live', ended: 'Finished', away: 'Reconnecting' }

/**
 * The page of one action.
 * @param {{
 *   action: Action,
 *   balances: TokenBalance[] | null,
 *   chains: Map<number, Chain>,
 *   history: Step[],
 *   connection: Connection,
 * }} state
 */
export function actionView({ action, balances, chains, history, connection }) {
  return h(
    'div',
    { class: 'page' },
    h(
      'div',
      { class: 'title' },
      h('h1', {}, 'Action'),
      badge(action.status),
      h('span', { class: `connection ${connection}` }, connections[connection]),
    ),
    h(
      'dl',
      { class: 'facts wide' },
      h(
        'div',
        {},
        h('dt', {}, 'Id'),
        h('dd', {}, h('span', { class: 'mono' }, action.actionId), copyButton(action.actionId, 'action id')),
      ),
      h(
        'div',
        {},
        h('dt', {}, 'User'),
        h(
          'dd',
          {},
          h(
            'a',
            { class: 'mono', href: `/explorer?q=${encodeURIComponent(action.user)}`, title: action.user },
            short(action.user),
          ),
          copyButton(action.user, 'user address'),
        ),
      ),
      h('div', {}, h('dt', {}, 'Created'), h('dd', {}, time(action.createdAt))),
      h('div', {}, h('dt', {}, 'Last change'), h('dd', {}, time(action.updatedAt))),
    ),
    moneyPanels(action, chains),
    creditAfterFailure(action, balances, chains),
    action.intents.map((intent) => intentView(action, intent, chains)),
    historyView(history, chains),
  )
}

/**
 * @param {Action} action
 * @param {Intent} intent
 * @param {Map<number, Chain>} chains
 */
function intentView(action, intent, chains) {
  const mode = modeText(intent.mode)
  const heading = `intent-${intent.intentIndex}`
  return h(
    'section',
    { class: 'intent', 'aria-labelledby': heading },
    h(
      'div',
      { class: 'title' },
      h('h2', { id: heading }, `Intent ${intent.intentIndex}`),
      badge(intent.status),
      h('span', { class: 'mode' }, mode.name, ' ', h('code', {}, intent.mode)),
    ),
    h('p', { class: 'quiet' }, `${mode.meaning} Intents and steps are counted from 0, as in the API.`),
    h(
      'ol',
      { class: 'steps' },
      intent.steps.map((step) => stepView(action, step, intent.chainBatches[step.stepIndex], chains)),
    ),
  )
}

/**
 * @param {Step[]} history
 * @param {Map<number, Chain>} chains
 */
function historyView(history, chains) {
  if (history.length === 0) return null
  return h(
    'details',
    { class: 'history' },
    h('summary', {}, `History: ${plural(history.length, 'change')}`),
    h(
      'ol',
      {},
      history.map((step) => h('li', {}, time(step.updatedAt, 'day'), ' ', sentence(step, chains))),
    ),
  )
}

/**
 * What a change of a step amounts to, in a sentence.
 * @param {Step} step
 * @param {Map<number, Chain>} chains
 */
export function sentence(step, chains) {
  const place = `Intent ${step.intentIndex} · step ${step.stepIndex} on ${chainName(step.chainId, chains)}`
  return `${place}: ${statusLabel(step.status).toLowerCase()}${detail(step)}`
}

/** @param {Step} step */
function detail({ status, transactionHash, blockNumber, error }) {
  if (error) return `, ${error.code}`
  if (status !== 'executing') return ''
  if (blockNumber !== null) return `, in block ${blockNumber}`
  return transactionHash === null ? ', asked for' : ', transaction known'
}
