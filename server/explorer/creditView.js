import { h } from './dom.js'
import { amountText, chainName, moved } from './money.js'

/** @typedef {import('../api/generated/types.gen.js').Action} Action */
/** @typedef {import('../api/generated/types.gen.js').Chain} Chain */
/** @typedef {import('../api/generated/types.gen.js').TokenBalance} TokenBalance */

/**
 * Where the user's money is after a failure, and how he gets it back. Null unless the action has failed.
 * @param {Action} action
 * @param {TokenBalance[] | null} balances null: not known
 * @param {Map<number, Chain>} chains
 */
export function creditAfterFailure(action, balances, chains) {
  if (action.status !== 'reverted' && action.status !== 'error') return null
  const paid = moved(action, 'in', chains)
  const hasCredit = balances?.some(isCredit) ?? false
  const isOtherPayment = action.intents.some(({ steps }) =>
    steps.some((step) => step.error?.code === 'transaction_mismatch'),
  )
  return h(
    'section',
    { class: 'panel credit', 'aria-labelledby': 'credit' },
    h('h2', { id: 'credit' }, 'Where the user’s money is'),
    h(
      'p',
      {},
      paid.length > 0
        ? `This action has paid the solver ${paid.join(' and ')}. What the solver did not pay out is the user’s credit.`
        : `No payment to the solver that this action names has succeeded.${hasCredit ? ' What its calls paid besides is part of the credit below.' : ''}`,
    ),
    isOtherPayment &&
      h(
        'p',
        {},
        'What the transaction that did not fit has paid the solver becomes credit once it is reported by ',
        h('code', {}, 'POST /coredeposit'),
        '.',
      ),
    balances === null && h('p', {}, 'The user’s credit can’t be read now.'),
    balances !== null && !hasCredit && h('p', {}, 'The user has no credit with the solver now.'),
    hasCredit && [
      h('h3', {}, 'The user’s credit now'),
      creditList(balances ?? [], chains),
      h(
        'p',
        {},
        'He can use it in any signed intent, or take it back: by an intent with one transfer from ',
        h('code', {}, 'solver'),
        ' to himself and no calls. It costs him a signature and no gas. ',
        h('a', { href: '/docs#description/guide-money-back' }, 'How to get it back'),
      ),
    ],
  )
}

/**
 * What the solver holds for a user, token by token.
 * @param {TokenBalance[]} balances
 * @param {Map<number, Chain>} chains
 */
export function creditList(balances, chains) {
  const entries = balances.filter(isCredit)
  if (entries.length === 0) return h('p', { class: 'quiet' }, 'Nothing')
  return h(
    'ul',
    {},
    entries.map((balance) => {
      const { chainId, tokenAddress, available, reserved } = balance
      const text = (/** @type {bigint} */ amount) => amountText(amount, tokenAddress, chains.get(chainId))
      const parts = `${text(BigInt(available))} available, ${text(BigInt(reserved))} set aside`
      return h(
        'li',
        { class: 'flow' },
        h('strong', {}, `${text(creditOf(balance))} on ${chainName(chainId, chains)}`),
        ' ',
        h('span', { class: 'mark' }, reserved === '0' ? 'available' : parts),
      )
    }),
  )
}

/**
 * What the solver owes; what lies in the user's own account is recorded besides, and is no credit.
 * @param {TokenBalance} balance
 */
function creditOf({ available, reserved }) {
  return BigInt(available) + BigInt(reserved)
}

/** @param {TokenBalance} balance */
export function isCredit(balance) {
  return creditOf(balance) > 0n
}
