import { getBalances, listActions } from './api.js'
import { creditList, isCredit } from './creditView.js'
import { h } from './dom.js'
import { badge, plural, short, time } from './format.js'
import { chainName } from './money.js'

/** @typedef {import('../api/generated/types.gen.js').Action} Action */
/** @typedef {import('../api/generated/types.gen.js').Chain} Chain */

/** @typedef {{ kind: 'latest' | 'address' | 'transaction' | 'action' | 'unknown', value: string }} Query */

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * What somebody looks for, by its form.
 * @param {string} text
 * @returns {Query}
 */
export function readQuery(text) {
  // Whoever wrote all of it in capitals means the same.
  const value = text.trim().replace(/^0X/, '0x')
  // An intent id is its action's with an index.
  const actionId = value.split('/')[0]?.toLowerCase() ?? ''
  if (value === '') return { kind: 'latest', value }
  if (uuid.test(actionId)) return { kind: 'action', value: actionId }
  if (/^0x[0-9a-f]{40}$/i.test(value)) return { kind: 'address', value }
  if (/^0x[0-9a-f]{64}$/i.test(value)) return { kind: 'transaction', value }
  return { kind: 'unknown', value }
}

/**
 * The page of results.
 * @param {Query} query
 * @param {string | null} cursor
 * @param {Map<number, Chain>} chains
 */
export async function searchView(query, cursor, chains) {
  if (query.kind === 'unknown') {
    return h(
      'div',
      { class: 'page' },
      h('h1', {}, 'Search'),
      h(
        'p',
        { class: 'problem', role: 'alert' },
        'This is none of the three that can be looked for: an address (0x and 40 digits), a transaction hash (0x and 64 digits), or an action id (a UUID).',
      ),
      h('p', {}, h('a', { href: '/explorer' }, 'Latest actions')),
    )
  }
  const isAddress = query.kind === 'address'
  const [page, balances] = await Promise.all([
    listActions({
      limit: '20',
      ...(isAddress && { user: query.value }),
      ...(query.kind === 'transaction' && { transactionHash: query.value }),
      ...(cursor !== null && { cursor }),
    }),
    isAddress ? getBalances(query.value) : [],
  ])
  const titles = {
    latest: 'Latest actions',
    address: 'Actions of a user',
    transaction: 'Actions with a transaction',
    action: '',
  }
  return h(
    'div',
    { class: 'page' },
    h('h1', {}, titles[query.kind]),
    query.kind !== 'latest' && h('p', { class: 'mono subject' }, query.value),
    balances.some(isCredit) &&
      h(
        'section',
        { class: 'panel', 'aria-label': 'Credit' },
        h('h2', {}, 'Credit ', h('small', {}, 'what the solver holds for this user')),
        creditList(balances, chains),
      ),
    page.actions.length === 0
      ? h('p', { class: 'empty' }, query.kind === 'latest' ? 'There are no actions yet.' : 'There are no such actions.')
      : h(
          'ul',
          { class: 'results' },
          page.actions.map((action) => resultView(action, chains)),
        ),
    page.nextCursor !== null &&
      h('p', {}, h('a', { class: 'more', href: olderAddress(query, page.nextCursor) }, 'Older actions')),
  )
}

/**
 * @param {Query} query
 * @param {string} cursor
 */
function olderAddress(query, cursor) {
  return `/explorer?${new URLSearchParams({ ...(query.value !== '' && { q: query.value }), cursor })}`
}

/**
 * @param {Action} action
 * @param {Map<number, Chain>} chains
 */
function resultView(action, chains) {
  const steps = action.intents.flatMap((intent) => intent.steps)
  const names = [...new Set(steps.map((step) => chainName(step.chainId, chains)))]
  return h(
    'li',
    {},
    h(
      'a',
      { class: 'result', href: `/explorer/${encodeURIComponent(action.actionId)}` },
      h('span', { class: 'mono id' }, action.actionId),
      badge(action.status),
      h(
        'span',
        { class: 'quiet' },
        `${short(action.user)} · ${plural(steps.length, 'step')} · ${names.join(', ')} · `,
        time(action.createdAt),
      ),
    ),
  )
}
